import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { SymbolEntry } from "../../../../src/venue/profile.ts"
import { csvEntry, csvHead } from "../../../../src/commands/audit/export.ts"

const base = { seq: 1, id: "rec_1", at_ms: 0, hash: Buffer.alloc(32) }

const btc = { id: 1, name: "BTC-PERP" } as SymbolEntry // what an export asks for
const symbols = { byId: new Map([[1, btc]]), byName: new Map([["BTC-PERP", btc]]) }

function lineOf(fields: Readonly<Record<string, unknown>>): string {
  const entry = { ...base, kind: "refusal", row: JSON.stringify(fields) }
  return csvEntry(entry, () => symbols)
}

describe("an entry as CSV", () => {
  it("has a cell for each title", () => {
    const titles = csvHead().trimEnd().split(",").length
    const [line] = lineOf({}).split(',"{') // the row alone is quoted here
    assert.equal(line!.trimEnd().split(",").length, titles)
  })

  for (const start of ["=", "+", "-", "@", "\t", "\r"]) {
    it(`has an apostrophe before what starts with ${JSON.stringify(start)}`, () => {
      assert.ok(lineOf({ client: `${start}1+1` }).includes(`'${start}1+1`))
    })
  }

  it("leaves what has such a character elsewhere, and numbers, as they are", () => {
    assert.match(lineOf({ client: "a=b", nonce: -5 }), /,a=b,.*,-5,/)
  })

  it("quotes commas, quotes and ends of lines, and tells a refusal's code and message", () => {
    const line = lineOf({ refusal: { code: "x", message: 'so, "no"\nnever' } })
    assert.match(line, /,x,/)
    assert.match(line, /,"so, ""no""\nnever",/)
    assert.ok(line.endsWith("\r\n"))
  })

  it("writes out what could move a cursor or reorder letters, in every cell", () => {
    const line = lineOf({ client: "a\u009b1mb", refusal: { code: "x", message: "\u202eon" } })
    assert.doesNotMatch(line, /[\u0080-\u009f\u202a-\u202e]/)
    assert.match(line, /,a\\u009b1mb,.*,\\u202eon,/)
  })

  it("tells of each order its symbol, side, type, price, quantity and worst case", () => {
    const buy = { symbol_id: 1, is_buy: true, order_type: "limit", price: "64000", quantity: "0.5" }
    const sell = { symbol_id: 2, is_buy: false, order_type: "market", quantity: "3" }
    const sizes = [
      { entry: "32000", legs: ["31000"] },
      { entry: null, legs: [] },
    ]
    const row = { body: JSON.stringify({ orders: [buy, sell] }), sizes }
    assert.ok(lineOf(row).includes(",BTC-PERP; 2,buy; sell,limit; market,64000; ,0.5; 3,32000; ,"))
  })

  it("tells of a cancel its symbol alone, and of what has no body nothing", () => {
    assert.ok(lineOf({ body: '{"symbol_id":1}' }).includes(",BTC-PERP,,,,,,"))
    assert.ok(lineOf({}).includes(",,,,,,,"))
  })

  it("leaves out what can't be read of an order's size", () => {
    const row = { body: '{"is_buy":true,"symbol_id":1}', sizes: [{ entry: "much" }] }
    assert.ok(lineOf(row).includes(",BTC-PERP,buy,,,,,"))
  })

  it("tells what the venue calls an order", () => {
    const order = { order_id: "7001", state: "open", tx_hash: "0x5d" }
    assert.ok(lineOf({ outcome: "accepted", order }).includes(",7001,open,0x5d,"))
  })

  it("doesn't break on a row that can't be read", () => {
    assert.match(
      csvEntry({ ...base, kind: "act", row: "}{" }, () => undefined),
      /^1,1970-01-01T00:00:00\.000Z,act,/,
    )
  })
})
