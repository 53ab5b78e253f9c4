import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { worstCaseText } from "../../../../src/vault/request/judge-request.ts"
import { wholeDecimal } from "../../../../src/venue/decimal.ts"

const [five, seven] = [wholeDecimal(5n), wholeDecimal(7n)]

describe("the worst case that a person is shown", () => {
  const cases = [
    { name: "no orders", sizes: [], says: "no order that can be read" },
    {
      name: "an order by the costliest of entry and legs",
      sizes: [{ entry: five, legs: [seven] }],
      says: "one order, up to 7 in quote units",
    },
    {
      name: "several orders together",
      sizes: [
        { entry: five, legs: [] },
        { entry: seven, legs: [] },
      ],
      says: "2 orders, up to 12 in quote units",
    },
    {
      name: "an order with a leg that can't be sized as one that can't",
      sizes: [
        { entry: five, legs: [] },
        { entry: seven, legs: [null] },
      ],
      says: "2 orders, more than 5 in quote units: 1 can't be sized",
    },
  ]
  for (const { name, sizes, says } of cases) {
    it(`sizes ${name}`, () => {
      assert.equal(
        worstCaseText(
          sizes,
          sizes.map(() => "USD"),
        ),
        says,
      )
    })
  }

  it("never adds amounts of two currencies", () => {
    const sizes = [five, seven, five, seven].map((entry) => ({ entry, legs: [] }))
    const quotes = ["USD", "BTC", "USD", undefined]
    assert.equal(worstCaseText(sizes.slice(0, 3), quotes), "3 orders, up to 10 USD and 7 BTC")
    const unsized = [...sizes, { entry: null, legs: [] }]
    assert.equal(
      worstCaseText(unsized, [...quotes, "BTC"]),
      "5 orders, more than 10 USD and 7 BTC and 7: 1 can't be sized",
    )
  })
})
