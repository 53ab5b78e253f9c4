import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openPace, openRepeats } from "../../../src/mcp/pace.ts"

describe("the pace of tools", () => {
  it("lets 20 calls through at once, and tells the 21st how long to wait", () => {
    const pace = openPace(() => 0)
    const waits = Array.from({ length: 21 }, pace)
    assert.deepEqual(waits, [...Array.from({ length: 20 }, () => 0), 200])
  })

  it("lets one more through each 200 ms, and not a moment before", () => {
    let nowMs = 0
    const pace = openPace(() => nowMs)
    for (let call = 0; call < 20; call++) pace()
    nowMs = 199
    assert.equal(pace(), 1)
    nowMs = 200
    assert.equal(pace(), 0)
    assert.equal(pace(), 200)
  })

  it("keeps no more than 20 for later", () => {
    let nowMs = 0
    const pace = openPace(() => nowMs)
    nowMs = 3_600_000
    const waits = Array.from({ length: 21 }, pace)
    assert.equal(waits.filter((wait) => wait === 0).length, 20)
  })
})

describe("equal refusals", () => {
  const refused = {
    ok: false,
    code: "policy_denied",
    reason: "side_not_allowed",
    do: "fix_request",
  }

  it("are told to stop from the third in a row on", () => {
    const told = openRepeats()
    const words = Array.from({ length: 4 }, () => told("place_order", refused).do)
    assert.deepEqual(words, ["fix_request", "fix_request", "stop", "stop"])
  })

  it("count anew after another reason, another tool or a success", () => {
    const others = [
      ["place_order", { ...refused, reason: "quantity_over_max" }],
      ["check_order", refused],
      ["place_order", { ok: true }],
    ] as const
    for (const [tool, answer] of others) {
      const told = openRepeats()
      told("place_order", refused)
      told("place_order", refused)
      told(tool, answer)
      assert.equal(told("place_order", refused).do, "fix_request")
    }
  })

  it("don't make a stop of successes", () => {
    const told = openRepeats()
    for (let call = 0; call < 5; call++)
      assert.deepEqual(told("whoami", { ok: true }), { ok: true })
  })
})
