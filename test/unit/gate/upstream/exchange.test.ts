import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { outcomeOf } from "../../../../src/gate/upstream/exchange.ts"

const cases = [
  { status: 200, body: '{"code":"0"}', kind: "accepted" },
  { status: 299, body: '{"code":"0","x":1}', kind: "accepted" },
  { status: 199, body: '{"code":"0"}', kind: "unknown" },
  { status: 300, body: '{"code":"0"}', kind: "unknown" },
  { status: 400, body: '{"code":"0"}', kind: "unknown" },
  { status: 500, body: '{"code":"0"}', kind: "unknown" },
  { status: 200, body: '{"code":"1"}', kind: "refused" },
  { status: 400, body: '{"code":"1"}', kind: "refused" },
  { status: 429, body: '{"code":"10029","data":{"scope":"address"}}', kind: "refused" },
  { status: 499, body: '{"code":"00"}', kind: "refused" },
  { status: 399, body: '{"code":"1"}', kind: "unknown" },
  { status: 500, body: '{"code":"1"}', kind: "unknown" },
  { status: 200, body: '{"code":0}', kind: "unknown" },
  { status: 200, body: '{"code":null}', kind: "unknown" },
  { status: 200, body: '{"code":""}', kind: "unknown" },
  { status: 200, body: `{"code":"${"1".repeat(64)}"}`, kind: "refused" },
  { status: 200, body: `{"code":"${"1".repeat(65)}"}`, kind: "unknown" },
  { status: 200, body: '[{"code":"0"}]', kind: "unknown" },
  { status: 200, body: '"0"', kind: "unknown" },
  { status: 200, body: "null", kind: "unknown" },
  { status: 200, body: "", kind: "unknown" },
  { status: 400, body: "<html>", kind: "unknown" },
] as const

describe("outcome", () => {
  for (const { status, body, kind } of cases) {
    it(`of ${status} ${body.slice(0, 40)} is ${kind}`, () => {
      const outcome = outcomeOf({ status, headers: {}, body: Buffer.from(body) })
      assert.equal(outcome.kind, kind)
      assert.equal("status" in outcome && outcome.status, status)
    })
  }

  const taken = { order_id: "7001", state: "open", tx_hash: "0x5d" }
  const long = "7".repeat(128)
  for (const [says, data, order] of [
    [
      "of the shape that the interface shows keeps the venue's words",
      { ...taken, client_order_id: null },
      taken,
    ],
    ["keeps a word of 128 characters", { ...taken, state: long }, { ...taken, state: long }],
    ["keeps nothing with a word of 129", { ...taken, state: `${long}7` }, undefined],
    ["keeps nothing with a word that is no text", { ...taken, order_id: 7001 }, undefined],
    ["keeps nothing with a word missing", { order_id: "7001", state: "open" }, undefined],
    ["keeps nothing of a list", { list: [taken] }, undefined],
    ["keeps nothing of no data", null, undefined],
  ] as const) {
    it(`of an order that was taken ${says}`, () => {
      const body = Buffer.from(JSON.stringify({ code: "0", msg: "", data }))
      const outcome = outcomeOf({ status: 200, headers: {}, body })
      assert.ok(outcome.kind === "accepted")
      assert.deepEqual(outcome.order, order)
    })
  }

  it("keeps no words of an order that was refused", () => {
    const body = Buffer.from(JSON.stringify({ code: "10001", data: taken }))
    assert.ok(!("order" in outcomeOf({ status: 400, headers: {}, body })))
  })

  for (const [status, body, spent] of [
    [429, '{"code":"10029","data":{"scope":"address"}}', "address"],
    [429, '{"code":"10029","data":{"scope":"ip"}}', "ip"],
    [429, '{"code":"1","data":{"scope":"IP"}}', undefined],
    [429, '{"code":"1","data":{"scope":"account"}}', undefined],
    [429, '{"code":"1","data":{"scope":""}}', undefined],
    [429, '{"code":"10029","data":{}}', undefined],
    [429, '{"code":"10029","data":{"scope":1}}', undefined],
    [429, '{"code":"10029","data":null}', undefined],
    [429, '{"code":"10029"}', undefined],
    [400, '{"code":"10029","data":{"scope":"address"}}', undefined],
  ] as const) {
    it(`of ${status} ${body} says that ${spent ?? "no"} budget is spent`, () => {
      const outcome = outcomeOf({ status, headers: {}, body: Buffer.from(body) })
      assert.ok(outcome.kind === "refused")
      assert.equal(outcome.spent, spent)
    })
  }
})
