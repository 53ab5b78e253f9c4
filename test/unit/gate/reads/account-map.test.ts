import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseAccountMap } from "../../../../src/gate/reads/account-map.ts"

const orders = {
  path: "/v1/trade/open-orders?account_address=$account",
  list: "/data/list",
  symbol: "/symbol_id",
  side: { at: "/is_buy", buy: "true", sell: "false" },
  remaining: "/quantity",
}
const positions = {
  path: "/v1/account/positions?account_address=$account",
  list: "/data/list",
  symbol: "/symbol_id",
  quantity: "/size",
  sign: "signed",
}

function readsOf(map: Parameters<typeof parseAccountMap>[0]) {
  const reads = parseAccountMap(map)
  assert.ok(reads.ok, reads.ok ? "" : reads.error)
  return reads.value
}

describe("what account says of answers", () => {
  it("is what leads to each field, by its steps", () => {
    assert.deepEqual(readsOf({ orders: [orders], positions }), {
      orders: [
        {
          path: orders.path,
          list: ["data", "list"],
          symbol: ["symbol_id"],
          side: { at: ["is_buy"], buy: "true", sell: "false" },
          remaining: { from: ["quantity"], less: undefined },
          reduceOnly: undefined,
          positionSide: undefined,
        },
      ],
      positions: {
        path: positions.path,
        list: ["data", "list"],
        symbol: ["symbol_id"],
        quantity: ["size"],
        sign: undefined,
        positionSide: undefined,
      },
    })
  })

  it("is all that can be said of it", () => {
    const reads = readsOf({
      orders: [
        {
          ...orders,
          remaining: { from: "/quantity", less: "/filled~1sum" },
          price: "/price",
          reduce_only: { at: "/flags/reduce~0", is: "1" },
          position_side: "/position_side",
        },
      ],
      positions: {
        ...positions,
        sign: { at: "/side", long: "long", short: "short" },
        position_side: "/side",
      },
      equity: { path: "/v1/$account", value: "/e", currency: { at: "/c/d", is: "USD" } },
    })
    const [first] = reads.orders
    assert.deepEqual(first?.remaining, { from: ["quantity"], less: ["filled/sum"] })
    assert.deepEqual(first.price, ["price"])
    assert.deepEqual(first.reduceOnly, { at: ["flags", "reduce~"], is: "1" })
    assert.deepEqual(first.positionSide, ["position_side"])
    assert.deepEqual(reads.positions.sign, { at: ["side"], long: "long", short: "short" })
    assert.deepEqual(reads.positions.positionSide, ["side"])
    const currency = { at: ["c", "d"], is: "USD" }
    assert.deepEqual(reads.equity, { path: "/v1/$account", value: ["e"], currency })
  })

  for (const text of ["", "/", "//a", "/a/", "a", "/a~", "/a~2", "#/a"]) {
    it(`isn't the pointer ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseAccountMap({ orders: [{ ...orders, symbol: text }], positions }), {
        ok: false,
        error: "expected a JSON Pointer like /data/mark_price (at account.orders.0.symbol)",
      })
    })
  }

  it("is refused with what isn't understood, and where that is", () => {
    const refused = parseAccountMap({ orders: [orders], positions: { ...positions, equity: "/e" } })
    assert.deepEqual(refused, {
      ok: false,
      error: 'Unrecognized key: "equity" (at account.positions)',
    })
  })
})
