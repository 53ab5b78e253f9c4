import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { JsonObject } from "../../../../src/venue/json.ts"
import { maxOpenCancelBytes, parsePayload } from "../../../../src/venue/payload/parse-payload.ts"
import { orderFields } from "../../../../src/venue/payload/payload.ts"
import type { OperationId } from "../../../../src/venue/profile.ts"
import { endpointOf, problemsOf, profileOf } from "../profile-text.ts"

const open = [
  "endpoints:",
  "  cancelOrder: {action_tag: 9}",
  "  cancelBatch: {action_tag: 10, items: /order_ids}",
  "  cancelAll: {action_tag: 11}",
]
const closed = [
  "endpoints:",
  "  cancelOrder: {action_tag: 9, fields: [order_id, price]}",
  "  cancelBatch: {action_tag: 10, items: /batch/orders, fields: [order_id, symbol_id]}",
  "  cancelAll: {action_tag: 11, fields: [symbol_id]}",
  "extra_fields: {cancelAll: [reason]}",
]
const cancels = ["cancelOrder", "cancelBatch", "cancelAll"] as const

function errorsOf(lines: readonly string[], id: OperationId, body: JsonObject): readonly string[] {
  const profile = profileOf(...lines)
  const payload = parsePayload(endpointOf(profile, id), body, profile)
  return payload.ok ? [] : payload.error.map(({ path, rule }) => `${path} ${rule}`)
}

/** A body of exactly so many bytes. */
function bodyOf(bytes: number): JsonObject {
  return { order_id: "7".repeat(bytes - '{"order_id":""}'.length) }
}

describe("a cancel whose fields venue.yaml doesn't list", () => {
  it("has any body but an order's", () => {
    for (const body of [
      {},
      { order_id: "1" },
      { symbol_id: 1, client_order_id: "a" },
      { a: [1] },
    ]) {
      assert.deepEqual(errorsOf(open, "cancelOrder", body), [])
      assert.deepEqual(errorsOf(open, "cancelAll", body), [])
    }
  })

  it("is refused with each name that only orders have, in any case, and however deep", () => {
    const shared = ["symbol_id", "client_order_id"]
    const own = orderFields.map(({ name }) => name).filter((name) => !shared.includes(name))
    assert.ok(own.includes("quantity") && own.includes("flags"))
    for (const name of [...own, "side", "Quantity", "isBuy"]) {
      assert.deepEqual(errorsOf(open, "cancelAll", { [name]: null }), [`/${name} field_of_orders`])
    }
    const hidden = { order_ids: ["1", { order: { quantity: "1" } }] }
    assert.deepEqual(errorsOf(open, "cancelBatch", hidden), [
      "/order_ids/1/order/quantity field_of_orders",
    ])
  })

  it("has at most 4 KiB, counted as UTF-8", () => {
    assert.deepEqual(errorsOf(open, "cancelOrder", bodyOf(maxOpenCancelBytes)), [])
    assert.deepEqual(errorsOf(open, "cancelOrder", bodyOf(maxOpenCancelBytes + 1)), [" too_large"])
    const wide = { order_id: "\u00e4".repeat(maxOpenCancelBytes / 2) }
    assert.deepEqual(errorsOf(open, "cancelOrder", wide), [" too_large"])
  })
})

describe("a cancel whose fields venue.yaml lists", () => {
  it("has these names and no other, at any depth", () => {
    const item = { order_id: "1", symbol_id: 1 }
    assert.deepEqual(errorsOf(closed, "cancelOrder", { order_id: "1", price: "2" }), [])
    assert.deepEqual(errorsOf(closed, "cancelOrder", { order_id: "1", symbol_id: 1 }), [
      "/symbol_id unknown_field",
    ])
    assert.deepEqual(errorsOf(closed, "cancelBatch", { batch: { orders: [item, "2"] } }), [])
    assert.deepEqual(
      errorsOf(closed, "cancelBatch", { batch: { orders: [{ ...item, quantity: "1" }] } }),
      ["/batch/orders/0/quantity unknown_field"],
    )
    assert.deepEqual(errorsOf(closed, "cancelAll", { symbol_id: 1, reason: "x" }), [])
  })

  it("may be longer", () => {
    assert.deepEqual(errorsOf(closed, "cancelOrder", bodyOf(maxOpenCancelBytes + 1)), [])
  })

  it("is one of the three cancels, and its list isn't empty", () => {
    for (const id of cancels) {
      const read = endpointOf(profileOf(`endpoints: {${id}: {action_tag: 9, fields: [a]}}`), id)
      assert.deepEqual(read.fields, ["a"])
    }
    assert.match(
      problemsOf("endpoints: {chaseOrder: {action_tag: 9, fields: [a]}}").join(),
      /fields describes the body of cancelOrder, cancelBatch, cancelAll, not of chaseOrder/,
    )
    assert.match(
      problemsOf("endpoints: {placeOrder: {fields: [a]}}").join(),
      /placeOrder, which has no fields; remove it/,
    )
    assert.match(
      problemsOf("endpoints: {cancelAll: {action_tag: 9, fields: []}}").join(),
      /at least one name/,
    )
  })
})

describe("a panic's line", () => {
  it("is held to the same, at its line", () => {
    const line = (body: string) => ["panic:", `  - {operation: cancelAll, body: '${body}'}`]
    assert.match(
      problemsOf(...open, ...line('{"quantity": "1"}')).join(),
      /^venue\.yaml:7:\d+: .*\/quantity: only orders have this field/,
    )
    assert.match(
      problemsOf(...closed, ...line('{"order_id": "1"}')).join(),
      /^venue\.yaml:8:\d+: .*\/order_id/,
    )
    assert.deepEqual(problemsOf(...closed, ...line('{"symbol_id": 1}')), [])
  })
})
