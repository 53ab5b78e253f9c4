import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openRefusals } from "../../../../src/gate/notify/refusals.ts"

/** What a vault has counted of one client since it started. */
const counted = (allowed: number, refused: number, held = 0) =>
  [
    [["mm", "placeOrder", "allowed", ""], allowed],
    [["mm", "placeOrder", "refused", "limit_exhausted"], refused - 1],
    [["mm", "cancelOrder", "refused", "limit_exhausted"], 1],
    [["mm", "placeOrder", "held", "approval_required"], held],
  ] as const

const minuteMs = 60_000

function askedOf(refusals: ReturnType<typeof openRefusals>) {
  return refusals
    .asked()
    .map(({ client, decided, refused }) => [client, decided, refused.get("limit_exhausted")])
}

describe("what clients were refused lately", () => {
  it("is looked at every 15 s", () => {
    const refusals = openRefusals()
    assert.ok(refusals.isDue(1))
    refusals.see([], 1)
    assert.deepEqual([refusals.isDue(15_000), refusals.isDue(15_001)], [false, true])
  })

  it("is what was counted between two looks, whatever was before the first; what is held isn't refused", () => {
    const refusals = openRefusals()
    refusals.see(counted(100, 900), 0)
    assert.deepEqual(askedOf(refusals), [["mm", 0, 0]])
    refusals.see(counted(110, 920, 5), minuteMs)
    assert.deepEqual(askedOf(refusals), [["mm", 35, 20]])
  })

  it("is that of five minutes, and no more", () => {
    const refusals = openRefusals()
    refusals.see(counted(0, 1), 0)
    refusals.see(counted(0, 31), minuteMs)
    refusals.see(counted(0, 31), 5 * minuteMs)
    assert.deepEqual(askedOf(refusals), [["mm", 30, 30]])
    refusals.see(counted(0, 31), 6 * minuteMs - 1)
    assert.deepEqual(askedOf(refusals), [["mm", 30, 30]])
    refusals.see(counted(0, 31), 6 * minuteMs)
    assert.deepEqual(askedOf(refusals), [["mm", 0, 0]])
  })

  it("is counted anew where the vault was started again", () => {
    const refusals = openRefusals()
    refusals.see(counted(50, 50), 0)
    refusals.see(counted(0, 30), minuteMs)
    assert.deepEqual(askedOf(refusals), [["mm", 30, 30]])
    refusals.see([], 2 * minuteMs)
    assert.deepEqual(askedOf(refusals), [])
  })
})
