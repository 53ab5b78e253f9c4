import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { pricesIn } from "../../../../src/gate/prices/prices-in.ts"
import type { PollRound } from "../../../../src/link/calls/gate-methods.ts"
import { numRuns } from "../../../support/runs.ts"

const round: PollRound = {
  ...{ id: 1, paths: [], list: ["data", "list"], symbol: ["symbol"], value: ["mark"] },
  symbols: [
    { id: 1, name: "BTC-PERP" },
    { id: 22, name: "ETH-PERP" },
  ],
}

function answer(data: string, { code = '"0"', status = 200 } = {}) {
  return { status, body: Buffer.from(`{"code": ${code}, "msg": "", "data": ${data}}`) }
}

function inList(...entries: readonly string[]) {
  return pricesIn(answer(`{"list": [${entries.join()}]}`), round)
}

describe("the prices in an answer", () => {
  it("are those of the symbols that are polled, by id or by name, in the digits that the venue wrote", () => {
    const prices = inList(
      '{"symbol": 1, "mark": "64000.10"}',
      '{"symbol": "SOL-PERP", "mark": "150"}',
      '{"symbol": "ETH-PERP", "mark": 3200.1000000000000000001}',
    )
    assert.deepEqual(prices, [
      { symbol: "BTC-PERP", value: "64000.10" },
      { symbol: "ETH-PERP", value: "3200.1000000000000000001" },
    ])
  })

  it("are one where the answer itself is the entry", () => {
    const alone = { ...round, list: undefined, symbol: ["data", "id"], value: ["data", "a", "0"] }
    const prices = pricesIn(answer('{"id": "22", "a": [3200]}'), alone)
    assert.deepEqual(prices, [{ symbol: "ETH-PERP", value: "3200" }])
  })

  it("lack a symbol that the list lacks, and have the others", () => {
    assert.deepEqual(inList('{"symbol": 22, "mark": "3200"}'), [
      { symbol: "ETH-PERP", value: "3200" },
    ])
  })

  for (const entry of [
    '{"symbol": 1}',
    '{"symbol": 1, "mark": null}',
    '{"symbol": 1, "mark": true}',
    '{"symbol": 1, "mark": {"rawJSON": "1"}}',
    '{"symbol": 1, "mark": ["1"]}',
    `{"symbol": 1, "mark": "${"1".repeat(65)}"}`,
    '{"symbol": 1.0, "mark": "1"}',
    '{"symbol": "01", "mark": "1"}',
    '{"symbol": "", "mark": "1"}',
    '{"mark": "1"}',
    "null",
    "1",
    '"BTC-PERP"',
    "[]",
  ]) {
    it(`leave out ${entry.slice(0, 40)}`, () => {
      assert.deepEqual(inList(entry, '{"symbol": 22, "mark": "3200"}'), [
        { symbol: "ETH-PERP", value: "3200" },
      ])
    })
  }

  const good = '{"list": [{"symbol": 1, "mark": "1"}]}'
  for (const [what, garbage] of [
    ["an error of the venue", answer(good, { code: '"10029"' })],
    ["a code that is a number", answer(good, { code: "0" })],
    ["a status that is no success", answer(good, { status: 404 })],
    ["a list that is none", answer('{"list": {"symbol": 1, "mark": "1"}}')],
    ["no data", answer("null")],
    ["half of an answer", { status: 200, body: answer(good).body.subarray(0, -1) }],
    ["a page for people", { status: 200, body: Buffer.from("<html>") }],
    ["bytes that aren't UTF-8", { status: 200, body: Buffer.from([0xff, 0xfe]) }],
    ["nothing", { status: 200, body: Buffer.alloc(0) }],
  ] as const) {
    it(`are none in ${what}`, () => {
      assert.deepEqual(pricesIn(garbage, round), [])
    })
  }

  it("are there in a good answer, by which the others are told", () => {
    assert.deepEqual(pricesIn(answer(good), round), [{ symbol: "BTC-PERP", value: "1" }])
  })

  it("never throw, whatever the answer is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (data) => {
        const prices = pricesIn(answer(data), round)
        assert.ok(prices.every(({ symbol }) => ["BTC-PERP", "ETH-PERP"].includes(symbol)))
      }),
      numRuns(300),
    )
  })
})
