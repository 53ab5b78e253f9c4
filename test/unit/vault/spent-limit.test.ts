import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { allAtOnce, askAll, byCount, openLimited, split } from "../../support/limited-vault.ts"
import { assertSigned, cancelPath, limitOrder, outcomeOf } from "../../support/open-test-vault.ts"

describe("a limit that only observes", () => {
  it("counts and never refuses", async (t) => {
    const limit = byCount.replace("}", ", mode: observe}")
    const { test, bots } = await openLimited(t, { limit })
    assert.equal(split(await askAll(test, bots)).signed.length, allAtOnce)
    const [use] = await test.admin.listLimits()
    assert.deepEqual([use?.used, use?.max, use?.mode], ["200", "10", "observe"])
  })
})

describe("a spent limit", () => {
  const reduceOnly = limitOrder({ is_buy: false, flags: ["reduce_only"] })

  it("lets cancels and reduce-only orders pass, and counts none of them", async (t) => {
    const limit = "{name: cap, count: requests, window: 1h, max: 10}"
    const { test, bots } = await openLimited(t, { limit })
    await askAll(test, bots)
    const [bot = ""] = bots
    for (let count = 0; count < 12; count++) {
      assertSigned(await test.sign(bot, { order_id: "1" }, { path: cancelPath }))
      assertSigned(await test.sign(bot, reduceOnly))
    }
    assert.equal((await test.admin.listLimits())[0]?.used, "10")
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "limit_exhausted")
  })

  it("stops a cancel only where it names cancels, and a reduce-only order only in its lane", async (t) => {
    const limits = [
      "{name: cancels, endpoints: [cancelOrder], count: requests, window: 1h, max: 1}",
      "{name: out, lane: reduce, count: requests, window: 1h, max: 2}",
    ]
    const { test, bots } = await openLimited(t, { limit: limits.join("\n  - ") })
    const [bot = ""] = bots
    const cancel = () => test.sign(bot, { order_id: "1" }, { path: cancelPath })
    assert.deepEqual([await cancel(), await cancel()].map(outcomeOf), ["signed", "limit_exhausted"])
    const out = [await test.sign(bot, reduceOnly), await test.sign(bot, reduceOnly)]
    assert.deepEqual(out.map(outcomeOf), ["signed", "signed"])
    assert.equal(outcomeOf(await test.sign(bot, reduceOnly)), "limit_exhausted")
    assertSigned(await test.sign(bot, limitOrder()))
  })
})
