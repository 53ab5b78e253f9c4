import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { worstCaseText } from "../../../../src/vault/request/judge-request.ts"
import { wholeDecimal } from "../../../../src/venue/decimal.ts"

const [five, seven] = [wholeDecimal(5n), wholeDecimal(7n)]

describe("the worst case that a person is shown", () => {
  const cases = [
    { name: "no orders", sizes: [], says: "no order that can be read" },
    {
      name: "an order by the costliest of entry and legs",
      sizes: [{ entry: five, legs: [seven], cost: null }],
      says: "one order, up to 7 USD",
    },
    {
      name: "several orders together",
      sizes: [
        { entry: five, legs: [], cost: null },
        { entry: seven, legs: [], cost: null },
      ],
      says: "2 orders, up to 12 USD",
    },
    {
      name: "an order with a leg that can't be sized as one that can't",
      sizes: [
        { entry: five, legs: [], cost: null },
        { entry: seven, legs: [null], cost: null },
      ],
      says: "2 orders, more than 5 USD: 1 can't be sized",
    },
  ]
  for (const { name, sizes, says } of cases) {
    it(`sizes ${name}`, () => {
      assert.equal(
        worstCaseText(
          sizes,
          sizes.map(() => ({ side: "buy BTC-PERP", quote: "USD" })),
        ),
        says,
      )
    })
  }

  it("is told for each symbol and side, and never adds amounts of two currencies", () => {
    const orders = [
      { side: "buy DOGE-USD", quote: "USD" },
      { side: "sell ETH-BTC", quote: "BTC" },
      { side: "sell DOGE-USD", quote: "USD" },
      { side: "buy DOGE-USD", quote: "USD" },
    ]
    const sizes = [five, seven, five, seven].map((entry) => ({ entry, legs: [], cost: null }))
    assert.equal(
      worstCaseText(sizes, orders),
      "4 orders, up to 17 USD and 7 BTC; 2 buy DOGE-USD: up to 12 USD; 1 sell ETH-BTC: up to 7 BTC; 1 sell DOGE-USD: up to 5 USD",
    )
    const unsized = [...sizes, { entry: null, legs: [], cost: null }]
    assert.equal(
      worstCaseText(unsized, [...orders, { side: "buy symbol 99", quote: undefined }]).replace(
        /; 1 sell.*; /,
        "; …; ",
      ),
      "5 orders, more than 17 USD and 7 BTC and 0 quote units: 1 can't be sized; 2 buy DOGE-USD: up to 12 USD; …; 1 buy symbol 99: more than 0 quote units: 1 can't be sized",
    )
  })

  it("names every order once, however many symbols, sides and currencies there are", () => {
    const order = fc.record({
      side: fc.constantFrom("buy A-USD", "sell A-USD", "buy B-BTC", "sell 10C-EUR"),
      cost: fc.option(fc.nat(1_000).map((n) => wholeDecimal(BigInt(n)))),
    })
    const quotes: Readonly<Record<string, string>> = { A: "USD", B: "BTC", "10C": "EUR" }
    fc.assert(
      fc.property(fc.array(order, { minLength: 1 }), (orders) => {
        const named = orders.map(({ side }) => ({
          side,
          quote: quotes[side.split(/[ -]/)[1] ?? ""],
        }))
        const sizes = orders.map(({ cost }) => ({ entry: cost, legs: [], cost: null }))
        const [total = "", ...groups] = worstCaseText(sizes, named).split("; ")
        const parts =
          groups.length === 0 ? [`${orders.length} ${named[0]?.side}: ${total}`] : groups
        for (const part of parts) {
          const [, count, side] = /^(\d+) (.+?): /.exec(part) ?? []
          const own = orders.filter((each) => each.side === side)
          const sum = own.reduce((all, { cost }) => all + (cost?.coefficient ?? 0n), 0n)
          assert.equal(own.length, Number(count))
          assert.ok(
            part.includes(` ${sum} ${named.find((each) => each.side === side)?.quote}`),
            part,
          )
          const unsized = own.filter(({ cost }) => cost === null).length
          assert.equal(part.includes(`: ${unsized} can't be sized`), unsized > 0)
        }
        assert.equal(
          new Set(parts.map((each) => each.split(":")[0])).size,
          new Set(named.map(({ side }) => side)).size,
        )
      }),
    )
  })
})
