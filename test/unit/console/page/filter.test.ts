import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { choicesOf, matching, type Filter } from "../../../../src/console/page/model.ts"
import { allowedRow, refusedRow } from "../../../support/console-look.ts"

const eth = { ...allowedRow, client: "taker", key: "spare", symbols: ["BTC-PERP", "ETH-PERP"] }
const unread = { ...refusedRow, key: null, code: "invalid_json", reason: "invalid_json" }
const all = [allowedRow, eth, refusedRow, unread]

describe("the console's filter", () => {
  it("shows everything until something is chosen", () => {
    assert.equal(matching(all, {}), all)
    assert.equal(matching(all, { client: undefined, code: undefined }), all)
  })

  for (const [filter, fitting] of [
    [{ client: "taker" }, [eth]],
    [{ key: "agent" }, [allowedRow, refusedRow]],
    [{ symbol: "BTC-PERP" }, [allowedRow, eth]],
    [{ symbol: "ETH-PERP" }, [eth]],
    [{ code: "policy_denied" }, [refusedRow]],
    [{ code: "order_too_large" }, [refusedRow]],
    [{ code: "invalid_json" }, [unread]],
    [{ client: "maker", code: "policy_denied" }, [refusedRow]],
    [{ client: "taker", code: "policy_denied" }, []],
    [{ client: "take" }, []],
  ] satisfies readonly (readonly [Filter, readonly unknown[]])[]) {
    it(`shows by ${JSON.stringify(filter)} what fits all of it`, () => {
      assert.deepEqual(matching(all, filter), fitting)
    })
  }

  it("has the values that there are to choose from, each once, and the one that was chosen", () => {
    assert.deepEqual(choicesOf(all, "client", undefined), ["maker", "taker"])
    assert.deepEqual(choicesOf(all, "key", undefined), ["agent", "spare"])
    assert.deepEqual(choicesOf(all, "symbol", undefined), ["BTC-PERP", "ETH-PERP"])
    assert.deepEqual(choicesOf(all, "code", undefined), [
      ...["invalid_json", "order_too_large", "policy_denied"],
    ])
    assert.deepEqual(choicesOf([], "client", "gone"), ["gone"])
    assert.deepEqual(choicesOf(all, "client", "taker"), ["maker", "taker"])
  })
})
