import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { JsonObject, JsonValue } from "../../../../src/venue/json.ts"
import {
  maxFieldErrors,
  parsePayload,
  maxBatchItems,
} from "../../../../src/venue/payload/parse-payload.ts"
import { operationIds, type OperationId } from "../../../../src/venue/profile.ts"
import { canonicalJson } from "../../../../src/venue/signing-hash.ts"
import { numRuns } from "../../../support/runs.ts"
import { endpointOf, profileOf } from "../profile-text.ts"

const profile = profileOf(
  "endpoints:",
  "  modifyOrder: {action_tag: 8, like: placeOrder, order_id: /ref/order_id}",
  "  cancelBatch: {action_tag: 10, items: /order_ids}",
  "  placeBatch: {action_tag: 12, items: /orders, item_like: placeOrder}",
  "  modifyBatch: {action_tag: 13, items: /batch/orders, item_like: placeOrder, order_id: /order_id}",
  "  revokeAgent:",
  "    signing: B",
  '    struct: "RevokeAgent(address signerAddress,address agentAddress,uint64 nonce,uint64 expiresAfter)"',
  "extra_fields: {placeOrder: [venue_note], placeBatch: [atomic], modifyOrder: [reason]}",
)
const order = { symbol_id: 1, is_buy: true, order_type: "limit", quantity: "0.5", price: "64000" }

function read(id: OperationId, body: JsonObject) {
  return parsePayload(endpointOf(profile, id), body, profile)
}

function errorsOf(id: OperationId, body: JsonObject): readonly string[] {
  const payload = read(id, body)
  return payload.ok ? [] : payload.error.map(({ path, rule }) => `${path} ${rule}`)
}

function times(count: number, item: JsonValue): readonly JsonValue[] {
  return Array.from({ length: count }, () => item)
}

type Case = {
  readonly name: string
  readonly id: OperationId
  readonly body: JsonObject
  readonly errors: readonly string[]
}

const cases: readonly Case[] = [
  { name: "accepts one order", id: "placeBatch", body: { orders: [order] }, errors: [] },
  {
    name: "accepts as many orders as a batch may have",
    id: "placeBatch",
    body: { orders: times(maxBatchItems, order) },
    errors: [],
  },
  {
    name: "refuses one order more",
    id: "placeBatch",
    body: { orders: times(maxBatchItems + 1, order) },
    errors: ["/orders too_many_items"],
  },
  { name: "refuses no order", id: "placeBatch", body: { orders: [] }, errors: ["/orders empty"] },
  {
    name: "refuses a body without orders",
    id: "placeBatch",
    body: {},
    errors: ["/orders required"],
  },
  {
    name: "refuses orders that aren't an array",
    id: "placeBatch",
    body: { orders: { 0: order } },
    errors: ["/orders wrong_type"],
  },
  {
    name: "refuses an item that isn't an object",
    id: "placeBatch",
    body: { orders: [order, null, [order]] },
    errors: ["/orders/1 wrong_type", "/orders/2 wrong_type"],
  },
  {
    name: "tells the errors of every item, each at its place",
    id: "placeBatch",
    body: {
      orders: [{ ...order, price: "0" }, order, { ...order, order_type: "market", x: 1 }],
    },
    errors: [
      "/orders/0/price not_above_zero",
      "/orders/2/x unknown_field",
      "/orders/2/price market_with_price",
    ],
  },
  {
    name: "admits extra fields of the batch and of its orders, each in its place",
    id: "placeBatch",
    body: { orders: [{ ...order, venue_note: 1 }], atomic: true },
    errors: [],
  },
  {
    name: "refuses them in each other's place",
    id: "placeBatch",
    body: { orders: [{ ...order, atomic: true }], venue_note: 1 },
    errors: ["/venue_note unknown_field"],
  },
  {
    name: "refuses another field beside the orders",
    id: "placeBatch",
    body: { orders: [order], more: [order] },
    errors: ["/more unknown_field"],
  },
  {
    name: "refuses an order's id where orders are new",
    id: "placeBatch",
    body: { orders: [{ ...order, order_id: "7" }] },
    errors: ["/orders/0/order_id unknown_field"],
  },

  {
    name: "finds orders further down, with their ids",
    id: "modifyBatch",
    body: {
      batch: {
        orders: [
          { ...order, order_id: "7" },
          { ...order, order_id: 0 },
        ],
      },
    },
    errors: [],
  },
  {
    name: "refuses a field beside the orders further down",
    id: "modifyBatch",
    body: { batch: { orders: [{ ...order, order_id: "7" }], more: 1 } },
    errors: ["/batch/more unknown_field"],
  },
  {
    name: "refuses a way to the orders that ends early",
    id: "modifyBatch",
    body: { batch: [{ ...order, order_id: "7" }] },
    errors: ["/batch/orders required"],
  },
  {
    name: "refuses ids that are missing, empty, negative or of another type",
    id: "modifyBatch",
    body: {
      batch: {
        orders: [
          order,
          { ...order, order_id: "" },
          { ...order, order_id: -1 },
          { ...order, order_id: null },
          { ...order, order_id: {} },
        ],
      },
    },
    errors: [
      "/batch/orders/0/order_id required",
      "/batch/orders/1/order_id empty",
      "/batch/orders/2/order_id wrong_type",
      "/batch/orders/3/order_id wrong_type",
      "/batch/orders/4/order_id wrong_type",
    ],
  },

  {
    name: "accepts an order and its id",
    id: "modifyOrder",
    body: { ...order, ref: { order_id: "7" }, reason: "x", venue_note: 1 },
    errors: [],
  },
  {
    name: "refuses an order without its id",
    id: "modifyOrder",
    body: order,
    errors: ["/ref/order_id required"],
  },
  {
    name: "refuses a field beside the id",
    id: "modifyOrder",
    body: { ...order, ref: { order_id: "7", price: "1" } },
    errors: ["/ref/price unknown_field"],
  },
  {
    name: "holds the order to its rules, and tells its id's error too",
    id: "modifyOrder",
    body: { ...order, flags: ["post_only"], time_in_force: "ioc", ref: {} },
    errors: ["/time_in_force post_only_needs_gtc", "/ref/order_id required"],
  },

  {
    name: "accepts items of any kind",
    id: "cancelBatch",
    body: { order_ids: ["7", 8, {}] },
    errors: [],
  },
  {
    name: "refuses one item more than a batch may have",
    id: "cancelBatch",
    body: { order_ids: times(maxBatchItems + 1, "7") },
    errors: ["/order_ids too_many_items"],
  },
  {
    name: "refuses another field beside the items",
    id: "cancelBatch",
    body: { order_ids: ["7"], symbol_id: 1 },
    errors: ["/symbol_id unknown_field"],
  },
  {
    name: "accepts any body whose shape isn't known",
    id: "cancelOrder",
    body: { a: [null] },
    errors: [],
  },
]

describe("reading a body by the shape that venue.yaml gives", () => {
  for (const { name, id, body, errors } of cases) {
    it(`${name} (${id})`, () => {
      assert.deepEqual(errorsOf(id, body), errors)
    })
  }

  it("gives the orders of a batch in their order, as a batch", () => {
    const payload = read("placeBatch", { orders: [order, { ...order, symbol_id: 2 }] })
    assert.ok(payload.ok && payload.value.kind === "orders")
    assert.equal(payload.value.form, "batch")
    assert.deepEqual(
      payload.value.orders.map(({ symbolId }) => symbolId),
      [1, 2],
    )
  })

  it("gives a batch of one order as a batch too, and an order that is changed as a single one", () => {
    const batch = read("placeBatch", { orders: [order] })
    const change = read("modifyOrder", { ...order, ref: { order_id: "7" } })
    assert.ok(batch.ok && batch.value.kind === "orders" && batch.value.form === "batch")
    assert.ok(change.ok && change.value.kind === "orders" && change.value.form === "single")
  })

  it("counts the items that it can't read further", () => {
    const payload = read("cancelBatch", { order_ids: ["7", "8", "9"] })
    assert.ok(payload.ok)
    assert.deepEqual(payload.value, { kind: "opaque", batchLength: 3 })
  })

  it("counts a body whose shape isn't known as one", () => {
    const payload = read("cancelOrder", { order_ids: ["7", "8", "9"] })
    assert.ok(payload.ok)
    assert.deepEqual(payload.value, { kind: "opaque", batchLength: 1 })
  })

  it("counts a batch without items as the most that so many characters hold", () => {
    const bare = profileOf("endpoints: {cancelBatch: {action_tag: 10}}")
    const count = (body: JsonObject) => {
      const payload = parsePayload(endpointOf(bare, "cancelBatch"), body, bare)
      assert.ok(payload.ok && payload.value.kind === "opaque")
      return payload.value.batchLength
    }
    assert.equal(count({}), 1)
    for (const items of [1, 2, 99, 100, 101, 300]) {
      assert.ok(count({ a: times(items, 7) }) >= items)
      assert.ok(count({ a: times(items, 7) }) <= items + 4, "not many more either")
    }
  })

  it("tells no more errors than one answer may hold", () => {
    const rubbish = Object.fromEntries(
      Array.from({ length: 2 * maxFieldErrors }, (_, index) => [`x${index}`, 1]),
    )
    assert.equal(errorsOf("placeOrder", rubbish).length, maxFieldErrors)
  })

  it("refuses a Type B body on a network whose type_b isn't given", () => {
    const other = profileOf(
      "domain: {chain_id: 5}",
      "endpoints:",
      "  revokeAgent:",
      "    signing: B",
      '    struct: "RevokeAgent(address signerAddress,uint64 nonce,uint64 expiresAfter)"',
    )
    const payload = parsePayload(endpointOf(other, "revokeAgent"), { signature_chain_id: 5 }, other)
    assert.ok(!payload.ok)
    assert.equal(payload.error[0]?.rule, "undisclosed")
  })
})

/** Names that mean something somewhere, so that random bodies get further than the first check. */
const names = [
  ...["orders", "batch", "order_ids", "order_id", "ref", "toString", "__proto__", "constructor"],
  ...["symbol_id", "is_buy", "quantity", "order_type", "price", "tpsl", "conditional", "flags"],
  ...["tpsl_mode", "tp_trigger_price", "trigger_by", "algo_order_type", "agent_address"],
  ...["signature_chain_id", "service_chain", "valid_days", "label", "venue_note"],
]
const leaf = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, "", "1", "limit", "tpsl", "post_only", "7", "Mainnet"),
  fc.maxSafeInteger(),
  fc.string(),
)
const { body: anyBody } = fc.letrec<{ value: JsonValue; body: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    tie("body"),
  ),
  body: fc
    .uniqueArray(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string()), tie("value")), {
      maxLength: 6,
      selector: ([name]) => name,
    })
    .map((entries): JsonObject =>
      Object.assign(Object.create(null) as object, Object.fromEntries(entries)),
    ),
}))

describe("reading any body at all", () => {
  it("never throws", () => {
    fc.assert(
      fc.property(fc.constantFrom(...operationIds), anyBody, (id, body) => {
        const payload = read(id, body)
        assert.ok(payload.ok || payload.error.length > 0)
      }),
      numRuns(500),
    )
  })

  it("reads what it accepted in the same way again, after it was written as canonical JSON", () => {
    fc.assert(
      fc.property(fc.constantFrom(...operationIds), anyBody, (id, body) => {
        const again = JSON.parse(canonicalJson(body, profile.canonicalForm)) as JsonObject
        const payload = read(id, body)
        if (payload.ok) assert.deepEqual(read(id, again), payload)
      }),
      numRuns(200),
    )
  })
})
