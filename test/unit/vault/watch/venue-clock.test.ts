import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { openVenueClock, venueClockWarnings } from "../../../../src/vault/watch/venue-clock.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"

const expiresInMs = { trade: 15_000, typeB: 60_000 }

function warningsAt(reading: { leastMs: number; mostMs: number }): readonly string[] {
  const clock = openVenueClock(fakeClock())
  clock.tell(reading)
  const config = { expiresInMs }
  const warnings = venueClockWarnings(clock, { config } as never) // it looks at nothing else
  return warnings.map(({ message }) => message)
}

describe("the venue's clock", () => {
  for (const { leastMs, mostMs, aheadMs } of [
    { leastMs: -20, mostMs: 1_030, aheadMs: 0 },
    { leastMs: 0, mostMs: 1_000, aheadMs: 0 },
    { leastMs: 1, mostMs: 1_001, aheadMs: 1 },
    { leastMs: -5_000, mostMs: 0, aheadMs: 0 },
    { leastMs: -5_000, mostMs: -1, aheadMs: -1 },
  ]) {
    it(`is ${aheadMs} ms ahead for certain when that is ${leastMs} to ${mostMs}`, () => {
      const clock = openVenueClock(fakeClock())
      clock.tell({ leastMs, mostMs })
      assert.equal(clock.aheadMs(), aheadMs)
    })
  }

  it("is known for a minute, by the last word", () => {
    const machine = fakeClock()
    const clock = openVenueClock(machine)
    assert.equal(clock.aheadMs(), 0)
    clock.tell({ leastMs: 10, mostMs: 1_010 })
    clock.tell({ leastMs: -9, mostMs: -7 })
    machine.pass(59_999)
    machine.setWall(0)
    assert.equal(clock.aheadMs(), -7)
    machine.pass(1)
    assert.equal(clock.aheadMs(), 0)
  })

  it("isn't taken for right by an answer that was so long under way that it tells nothing", () => {
    const machine = fakeClock()
    const clock = openVenueClock(machine)
    clock.tell({ leastMs: 8_000, mostMs: 9_000 })
    clock.tell({ leastMs: -1_000, mostMs: 2_001 })
    assert.equal(clock.aheadMs(), 8_000)
    clock.tell({ leastMs: -1_000, mostMs: 2_000 })
    assert.equal(clock.aheadMs(), 0)
  })

  it("is warned of from 2 s on, and with what follows once nothing can be valid", () => {
    assert.deepEqual(warningsAt({ leastMs: 1_999, mostMs: 3_000 }), [])
    const [ahead = ""] = warningsAt({ leastMs: 2_000, mostMs: 3_000 })
    assert.match(ahead, /^The venue's clock is at least 2 s ahead of this machine's, .*ntp true\.$/)
    const [behind = ""] = warningsAt({ leastMs: -9_000, mostMs: -2_500 })
    assert.match(behind, /^The venue's clock is at least 2 s behind this machine's, /)
    const [late = ""] = warningsAt({ leastMs: 15_001, mostMs: 17_000 })
    assert.match(late, /Trade requests have expired before the venue gets them\.$/)
    const [long = ""] = warningsAt({ leastMs: -17_000, mostMs: -15_001 })
    assert.match(long, /more than twice as long as they should be\.$/)
    for (const reading of [
      { leastMs: 15_000, mostMs: 17_000 },
      { leastMs: -17_000, mostMs: -15_000 },
    ]) {
      assert.match(warningsAt(reading)[0] ?? "", /ntp true\.$/)
    }
  })
})

describe("max_venue_offset", () => {
  async function open(t: TestContext, settings: string) {
    const test = await openTestVault({ settings })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    return { test, token }
  }

  /** Has the gate report an answer whose Date lies so. */
  async function report(test: TestVault, token: string, leastMs: number): Promise<void> {
    const cancel = await test.sign(token, { order_id: "1" }, { path: cancelPath })
    assert.ok(cancel.kind === "answer")
    const outcome = { kind: "accepted", status: 200, code: "0" } as const
    const venueClock = { leastMs, mostMs: leastMs }
    const told = await test.bots.report({ token, record: cancel.record, outcome, venueClock })
    assert.equal(told.kind, "answer")
  }

  it("stops orders one millisecond past it, on either side, and neither cancels nor reduce-only", async (t) => {
    const { test, token } = await open(t, "max_venue_offset: 5s\n")
    for (const [aheadMs, expected] of [
      [5_000, "signed"],
      [5_001, "clock_unsafe"],
      [-5_001, "clock_unsafe"],
      [-5_000, "signed"],
    ] as const) {
      await report(test, token, aheadMs)
      const order = await test.sign(token, limitOrder())
      assert.equal(outcomeOf(order), expected)
      assert.equal(outcomeOf(test.check(token, limitOrder())), "signed")
      const checked = test.check(token, limitOrder())
      assert.ok(checked.kind === "answer")
      assert.equal(checked.report.would_sign, expected === "signed")
      const out = limitOrder({ flags: ["reduce_only"] })
      assert.equal(outcomeOf(await test.sign(token, out)), "signed")
      if (order.kind !== "refused") continue
      const data = {
        ...{ signs: "reduce_only", fix: "timedatectl set-ntp true" },
        ...{ venue_ahead_ms: aheadMs, max_venue_offset_ms: 5_000 },
      }
      assert.deepEqual(order.refusal.data, data)
    }
    await report(test, token, 60_000)
    const { warnings } = await test.admin.status()
    assert.match(
      warnings[0]?.message ?? "",
      /The venue's clock is at least 60 s ahead of this machine's/,
    )
  })

  it("is off unless it is set: then any offset only warns", async (t) => {
    for (const settings of ["", "max_venue_offset: off\n"]) {
      const { test, token } = await open(t, settings)
      await report(test, token, 86_400_000)
      assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")
      const { warnings } = await test.admin.status()
      assert.match(
        warnings[0]?.message ?? "",
        /Trade requests have expired before the venue gets them/,
      )
    }
  })
})
