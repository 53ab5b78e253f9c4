import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type {
  EquityRead,
  OrdersRead,
  PositionsRead,
} from "../../../../src/gate/reads/account-map.ts"
import { equityIn, ordersIn, positionsIn } from "../../../../src/gate/reads/account-reading.ts"
import { readOrder, readPosition } from "../../../../src/link/calls/gate-methods.ts"
import { numRuns } from "../../../support/runs.ts"

const ofOrders: OrdersRead = {
  path: "/v1/trade/open-orders?account_address=$account",
  list: ["data", "list"],
  symbol: ["symbol"],
  side: { at: ["is_buy"], buy: "true", sell: "false" },
  remaining: { from: ["left"], less: undefined },
  price: ["price"],
  reduceOnly: { at: ["reduce"], is: "true" },
  positionSide: ["side"],
}

const ofPositions: PositionsRead = {
  path: "/v1/account/positions?account_address=$account",
  list: ["data", "list"],
  symbol: ["symbol"],
  quantity: ["size"],
  sign: undefined,
  positionSide: ["side"],
}

const bySide: PositionsRead = {
  ...ofPositions,
  sign: { at: ["side"], long: "long", short: "short" },
}

function answer(data: string, { code = '"0"', status = 200 } = {}) {
  return { status, body: Buffer.from(`{"code": ${code}, "msg": "", "data": ${data}}`) }
}

const listed = (...entries: readonly string[]) => answer(`{"list": [${entries.join()}]}`)
const order = '{"symbol": 1, "is_buy": true, "left": "0.5", "price": "64000.10", "reduce": false}'
const position = '{"symbol": 1, "size": "-0.50"}'

/** An order's or position's text with other fields; `undefined` takes one away. */
function changed(text: string, changes: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...(JSON.parse(text) as object), ...changes })
}

/** What is read of it as it crosses the socket, or the word for why it isn't read. */
function orders(entry: string, read: Partial<OrdersRead> = {}) {
  const found = ordersIn(listed(entry), { ...ofOrders, ...read })
  return found.ok ? found.value.map((each) => readOrder.parse(crossed(each))) : found.error
}

function positions(entry: string, read: Partial<PositionsRead> = {}) {
  const found = positionsIn(listed(entry), { ...ofPositions, ...read })
  return found.ok ? found.value.map((each) => readPosition.parse(crossed(each))) : found.error
}

function crossed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

describe("the open orders in an answer", () => {
  it("have their fields in the words that the vault knows, and digits as the venue wrote them", () => {
    const second =
      '{"symbol": "ETH-PERP", "is_buy": false, "left": 1.2000000000000000000001, "reduce": true, "side": "short"}'
    assert.deepEqual(orders(`${order},${second}`), [
      { symbol: "1", is_buy: true, remaining: "0.5", price: "64000.10", reduce_only: false },
      {
        symbol: "ETH-PERP",
        is_buy: false,
        remaining: "1.2000000000000000000001",
        reduce_only: true,
        position_side: "short",
      },
    ])
  })

  for (const [side, isBuy, words] of [
    ["true", true, { buy: "true", sell: "false" }],
    ["false", false, { buy: "true", sell: "false" }],
    ['"BUY"', true, { buy: "BUY", sell: "SELL" }],
    ["-1", false, { buy: "1", sell: "-1" }],
    ['"buy"', undefined, { buy: "BUY", sell: "SELL" }],
    ["0", undefined, { buy: "1", sell: "-1" }],
    ["null", undefined, { buy: "null", sell: "true" }],
    ['["true"]', undefined, { buy: "true", sell: "false" }],
  ] as const) {
    it(`${isBuy === undefined ? "are none where" : isBuy ? "buy where" : "sell where"} the side is ${side}, of ${words.buy} and ${words.sell}`, () => {
      const entry = order.replace("true", side)
      const found = orders(entry, { side: { at: ["is_buy"], ...words } })
      if (isBuy === undefined) assert.equal(found, "unreadable_is_buy")
      else assert.equal(typeof found === "string" || found[0]?.is_buy, isBuy)
    })
  }

  it("can only reduce where the answer has that very word, and else open", () => {
    const reducesAt = (reduce: unknown, read: Partial<OrdersRead> = {}) => {
      const found = orders(changed(order, { reduce }), read)
      assert.ok(typeof found !== "string")
      return found[0]?.reduce_only
    }
    assert.equal(reducesAt(true), true)
    assert.equal(reducesAt("true"), true)
    for (const other of [false, "TRUE", 1, null, undefined, [true], { is: true }]) {
      assert.equal(reducesAt(other), false)
    }
    assert.equal(reducesAt(true, { reduceOnly: undefined }), false)
  })

  it("leave out what nothing is left of", () => {
    for (const left of ["0", "0.000", 0]) assert.deepEqual(orders(changed(order, { left })), [])
  })

  for (const [from, less, left] of [
    ["1", "0.25", "0.75"],
    ["0.3", "0.1", "0.2"],
    ["10.50", "10.5", undefined],
    ["5", "5", undefined],
    ["12", "3", "9"],
    ["1", "0.0000000000000000000000000001", "0.9999999999999999999999999999"],
    ["100000000000000000000000000001", "1", "100000000000000000000000000000"],
  ] as const) {
    it(`have ${left ?? "nothing"} left of ${from} when ${less} is filled`, () => {
      const remaining = { from: ["left"], less: ["filled"] }
      const found = orders(changed(order, { left: from, filled: less }), { remaining })
      assert.ok(typeof found !== "string")
      assert.equal(found[0]?.remaining, left)
    })
  }

  it("aren't read where more is filled than there was, or it isn't told", () => {
    const remaining = { from: ["left"], less: ["filled"] }
    for (const filled of ["0.51", "-0.1", "", null, undefined, "1e-7", true]) {
      assert.equal(orders(changed(order, { filled }), { remaining }), "unreadable_remaining")
    }
    const long = { left: `1${"0".repeat(60)}`, filled: `0.${"0".repeat(60)}1` }
    assert.equal(orders(changed(order, long), { remaining }), "unreadable_remaining")
  })

  for (const [changes, why] of [
    [{ symbol: undefined }, "unreadable_symbol"],
    [{ symbol: "" }, "unreadable_symbol"],
    [{ symbol: true }, "unreadable_symbol"],
    [{ symbol: "S".repeat(65) }, "unreadable_symbol"],
    [{ is_buy: undefined }, "unreadable_is_buy"],
    [{ left: undefined }, "unreadable_remaining"],
    [{ left: null }, "unreadable_remaining"],
    [{ left: "-1" }, "unreadable_remaining"],
    [{ left: "+1" }, "unreadable_remaining"],
    [{ left: "01" }, "unreadable_remaining"],
    [{ left: ".5" }, "unreadable_remaining"],
    [{ left: "1." }, "unreadable_remaining"],
    [{ left: "1e3" }, "unreadable_remaining"],
    [{ left: "..." }, "unreadable_remaining"],
    [{ left: "1".repeat(65) }, "unreadable_remaining"],
    [{ price: "" }, "unreadable_price"],
    [{ price: "market" }, "unreadable_price"],
    [{ price: -1 }, "unreadable_price"],
    [{ price: {} }, "unreadable_price"],
    [{ side: "LONG" }, "unreadable_position_side"],
    [{ side: "" }, "unreadable_position_side"],
  ] as const) {
    it(`aren't read with ${JSON.stringify(changes).slice(0, 40)}`, () => {
      assert.equal(orders(changed(order, changes)), why)
    })
  }

  for (const entry of ["null", "1", '"BTC-PERP"', "[]", "{}"]) {
    it(`aren't read where one is ${entry}`, () => {
      const found = ordersIn(listed(order, entry), ofOrders)
      assert.deepEqual(found, { ok: false, error: "unreadable_symbol" })
    })
  }

  it("need neither price nor position side, and have none where venue.yaml names none", () => {
    const plain = { symbol: "1", is_buy: true, remaining: "0.5", reduce_only: false }
    assert.deepEqual(orders(changed(order, { price: null, side: null })), [plain])
    const bare = { price: undefined, positionSide: undefined }
    assert.deepEqual(orders(changed(order, { price: "?", side: "?" }), bare), [plain])
  })
})

describe("the positions in an answer", () => {
  it("are below zero when they are short, and not there when they are flat", () => {
    const others = [
      '{"symbol": 2, "size": 3, "side": "both"}',
      '{"symbol": 3, "size": "0.0"}',
      '{"symbol": 4, "size": -0}',
    ]
    assert.deepEqual(positions([position, ...others].join()), [
      { symbol: "1", quantity: "-0.50" },
      { symbol: "2", position_side: "both", quantity: "3" },
    ])
  })

  it("have the sign of their side where the venue tells a size", () => {
    const sized = (changes: object) =>
      positions(changed(position, { size: "2", ...changes }), bySide)
    assert.deepEqual(sized({ side: "long" }), [
      { symbol: "1", position_side: "long", quantity: "2" },
    ])
    assert.deepEqual(sized({ side: "short" }), [
      { symbol: "1", position_side: "short", quantity: "-2" },
    ])
    for (const side of ["both", "Short", "", null, undefined]) {
      const entry = changed(position, { size: "2", side })
      assert.equal(positions(entry, { ...bySide, positionSide: undefined }), "unreadable_quantity")
    }
    assert.equal(sized({ side: "long", size: "-2" }), "unreadable_quantity")
    assert.equal(sized({ side: "short", size: "-2" }), "unreadable_quantity")
    assert.deepEqual(sized({ side: null, size: "0.00" }), [])
  })

  for (const [changes, why] of [
    [{ symbol: null }, "unreadable_symbol"],
    [{ size: undefined }, "unreadable_quantity"],
    [{ size: "--1" }, "unreadable_quantity"],
    [{ size: "1e3" }, "unreadable_quantity"],
    [{ size: "-" }, "unreadable_quantity"],
    [{ size: "-01" }, "unreadable_quantity"],
    [{ size: `-${"1".repeat(64)}` }, "unreadable_quantity"],
    [{ side: "net" }, "unreadable_position_side"],
  ] as const) {
    it(`aren't read with ${JSON.stringify(changes).slice(0, 40)}`, () => {
      assert.equal(positions(changed(position, changes)), why)
    })
  }
})

describe("what an account is worth", () => {
  const path = "/v1/account/equity?account_address=$account"
  const ofEquity: EquityRead = { path, value: ["data", "equity"] }
  const equityOf = (data: string, read: Partial<EquityRead> = {}) => {
    const found = equityIn(answer(data), { ...ofEquity, ...read })
    return found.ok ? found.value : `(${found.error})`
  }

  for (const text of ["0", "1000000.50", "-12.5", "1.2000000000000000000001"]) {
    it(`is ${text}, as a string or a number`, () => {
      assert.equal(equityOf(`{"equity": "${text}"}`), text)
      assert.equal(equityOf(`{"equity": ${text}}`), text)
    })
  }

  for (const data of [
    ...["{}", "null", '{"equity": null}', '{"equity": ""}', '{"equity": "1e6"}', '{"equity": 1e6}'],
    ...['{"equity": true}', '{"equity": ["1"]}', '{"equity": "+1"}', '{"equity": "--1"}'],
    `{"equity": "${"1".repeat(65)}"}`,
  ]) {
    it(`isn't told by ${data.slice(0, 30)}`, () => {
      assert.equal(equityOf(data), "(unreadable_equity)")
    })
  }

  it("is told in the currency that is meant, or not at all", () => {
    const currency = { at: ["data", "currency"], is: "USD" }
    assert.equal(equityOf('{"equity": "5", "currency": "USD"}', { currency }), "5")
    for (const other of ['"USDC"', '"usd"', "null", "1"]) {
      const data = `{"equity": "5", "currency": ${other}}`
      assert.equal(equityOf(data, { currency }), "(other_currency)")
      assert.equal(equityOf(data), "5")
    }
    assert.equal(equityOf('{"equity": "5"}', { currency }), "(other_currency)")
  })

  it("isn't told by an answer that is no success", () => {
    const whole = '{"equity": "5"}'
    const refused = answer(whole, { code: '"10029"' })
    assert.deepEqual(equityIn(refused, ofEquity), { ok: false, error: "no_success" })
    const failed = answer(whole, { status: 503 })
    assert.deepEqual(equityIn(failed, ofEquity), { ok: false, error: "status_503" })
  })
})

describe("an answer of the venue", () => {
  const whole = `{"list": [${order}], "has_more": false, "next_cursor": null}`

  for (const [what, garbage, why] of [
    ["an error", answer(whole, { code: '"10029"' }), "no_success"],
    ["a code that is a number", answer(whole, { code: "0" }), "no_success"],
    ["a status that is no success", answer(whole, { status: 503 }), "status_503"],
    ["a redirect", answer(whole, { status: 302 }), "status_302"],
    ["a list that is none", answer(`{"list": ${order}}`), "no_list"],
    ["no list", answer("{}"), "no_list"],
    ["no data", answer("null"), "no_list"],
    ["half of it", { status: 200, body: answer(whole).body.subarray(0, -1) }, "no_json"],
    ["a page for people", { status: 200, body: Buffer.from("<html>") }, "no_json"],
    ["bytes that aren't UTF-8", { status: 200, body: Buffer.from([0xff, 0xfe]) }, "no_json"],
    ["a further page", answer('{"list": [], "has_more": true}'), "more_pages"],
    ["a word for a further page", answer('{"list": [], "has_more": "false"}'), "more_pages"],
    ["a cursor alone", answer('{"list": [], "next_cursor": "81"}'), "more_pages"],
  ] as const) {
    it(`says nothing of an account with ${what}`, () => {
      assert.deepEqual(ordersIn(garbage, ofOrders), { ok: false, error: why })
      assert.deepEqual(positionsIn(garbage, ofPositions), { ok: false, error: why })
    })
  }

  it("says that its list ends there, or turns no pages at all", () => {
    for (const good of [
      whole,
      `{"list": [${order}]}`,
      `{"list": [${order}], "next_cursor": null}`,
      `{"list": [${order}], "has_more": false, "next_cursor": "81"}`,
    ]) {
      assert.ok(ordersIn(answer(good), ofOrders).ok)
    }
  })

  it("may itself hold the list, beside which its end is told", () => {
    const bare = { ...ofOrders, list: ["data"] }
    assert.ok(ordersIn(answer(`[${order}]`), bare).ok)
    const more = Buffer.from('{"code": "0", "data": [], "has_more": true}')
    assert.ok(!ordersIn({ status: 200, body: more }, bare).ok)
  })

  it("is read to what the vault takes, or not at all, whatever it is", () => {
    const entry = fc.record(
      {
        symbol: fc.oneof(fc.integer(), fc.string(), fc.json()),
        is_buy: fc.oneof(fc.boolean(), fc.string()),
        left: fc.oneof(fc.integer(), fc.double(), fc.string()),
        size: fc.oneof(fc.integer(), fc.double(), fc.string()),
        price: fc.oneof(fc.integer(), fc.string()),
        side: fc.constantFrom("long", "short", "both", null, 1),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(entry), fc.constantFrom(ofPositions, bySide), (entries, read) => {
        const body = answer(JSON.stringify({ list: entries }))
        const found = [ordersIn(body, ofOrders), positionsIn(body, read)] as const
        if (found[0].ok) for (const each of found[0].value) readOrder.parse(each)
        if (found[1].ok) for (const each of found[1].value) readPosition.parse(each)
      }),
      numRuns(300),
    )
  })
})
