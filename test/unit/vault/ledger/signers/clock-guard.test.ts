import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { ClockReading } from "../../../../../src/vault/ledger/records/clock-reading.ts"
import {
  maxClockLeadMs,
  openClockGuard,
} from "../../../../../src/vault/ledger/signers/ledger-safety.ts"
import type { Clock } from "../../../../../src/vault/process/clock.ts"

const wallMs = 1_780_000_000_000
const dayMs = 86_400_000
const last: ClockReading = { wallMs, uptimeMs: 50_000, bootId: "one" }

/** The clocks of a machine, to be moved. */
function machine(at: { wallMs: number; uptimeMs: number; bootId?: string }) {
  const state = { monotonicMs: 700, ...at }
  const clock: Clock = {
    nowMs: () => state.wallMs,
    monotonicMs: () => state.monotonicMs,
    uptimeMs: () => state.uptimeMs,
    bootId: () => at.bootId ?? "one",
  }
  return {
    clock,
    pass: (ms: number) => {
      state.wallMs += ms
      state.monotonicMs += ms
      state.uptimeMs += ms
    },
    /** Wall time and uptime go on, the monotonic clock stands still. */
    suspend: (ms: number) => {
      state.wallMs += ms
      state.uptimeMs += ms
    },
    setWall: (ms: number) => {
      state.wallMs = ms
    },
  }
}

function guardAt(at: { wallMs: number; uptimeMs: number; bootId?: string }) {
  const { clock } = machine(at)
  const guard = openClockGuard({ clock, last })
  return { guard, doubt: guard.doubt(at.wallMs) }
}

describe("the clock at a start", () => {
  const cases = [
    { name: "is believed when as much time has passed as the machine ran", ranMs: 0, isSafe: true },
    { name: "is believed at the largest lead", ranMs: maxClockLeadMs, isSafe: true },
    { name: "is doubted one millisecond later", ranMs: maxClockLeadMs + 1, isSafe: false },
    { name: "is doubted a year ahead", ranMs: 365 * dayMs, isSafe: false },
    { name: "is believed a day behind", ranMs: -dayMs, isSafe: true },
  ]
  for (const { name, ranMs, isSafe } of cases) {
    it(`${name}, without a start of the machine`, () => {
      const { doubt } = guardAt({ wallMs: wallMs + 3_000 + ranMs, uptimeMs: 53_000 })
      assert.equal(doubt === undefined, isSafe)
    })
  }

  const afterStarts = [
    { name: "is believed after the longest gap", gapMs: 7 * dayMs, isSafe: true },
    { name: "is doubted after one millisecond more", gapMs: 7 * dayMs + 1, isSafe: false },
    { name: "is believed when it went back", gapMs: -dayMs, isSafe: true },
  ]
  for (const { name, gapMs, isSafe } of afterStarts) {
    it(`${name}, with a start of the machine`, () => {
      const { doubt } = guardAt({ wallMs: wallMs + gapMs, uptimeMs: 9_000, bootId: "two" })
      assert.equal(doubt === undefined, isSafe)
    })
  }

  it("takes an uptime that went back for a start of the machine, whatever it calls itself", () => {
    const { doubt } = guardAt({ wallMs: wallMs + dayMs, uptimeMs: 100 })
    assert.equal(doubt, undefined)
  })

  it("says which command to run", () => {
    const { doubt = "" } = guardAt({ wallMs: wallMs + dayMs, uptimeMs: 50_000 })
    assert.match(doubt, /countersign clock accept/)
  })
})

describe("the clock while it runs", () => {
  const start = { wallMs: wallMs + 1_000, uptimeMs: 51_000 }

  it("is believed through a suspend, and doubted for a leap after it", () => {
    const { clock, suspend, pass, setWall } = machine(start)
    const guard = openClockGuard({ clock, last })
    suspend(3 * dayMs)
    pass(1_000)
    assert.equal(guard.doubt(clock.nowMs()), undefined)
    assert.equal(guard.reading()?.uptimeMs, 51_000 + 3 * dayMs + 1_000)
    setWall(clock.nowMs() + maxClockLeadMs + 1)
    assert.match(guard.doubt(clock.nowMs()) ?? "", /10001 ms ahead/)
  })

  it("is doubted after a leap ahead, and believed once it is set right", () => {
    const { clock, setWall } = machine(start)
    const guard = openClockGuard({ clock, last })
    setWall(start.wallMs + dayMs)
    assert.throws(() => guard.assertSafe(clock.nowMs()), { code: "clock_unsafe" })
    assert.equal(guard.believed(clock.nowMs()), start.wallMs)
    assert.equal(guard.reading(), undefined, "a restart must find it doubted too")
    setWall(start.wallMs + 5)
    guard.assertSafe(clock.nowMs())
    assert.equal(guard.believed(clock.nowMs()), start.wallMs + 5)
  })

  it("is believed as it is once that was accepted", () => {
    const { clock, setWall, pass } = machine(start)
    const guard = openClockGuard({ clock, last })
    setWall(start.wallMs + dayMs)
    guard.accept(clock.nowMs())
    pass(100)
    guard.assertSafe(clock.nowMs())
    assert.deepEqual(guard.reading(), {
      wallMs: start.wallMs + dayMs + 100,
      uptimeMs: 51_100,
      bootId: "one",
    })
  })

  it("keeps the highest time when it is set back, so that setting it right is no leap", () => {
    const { clock, setWall, pass } = machine(start)
    const guard = openClockGuard({ clock, last })
    setWall(start.wallMs - dayMs)
    pass(500)
    guard.assertSafe(clock.nowMs())
    assert.equal(guard.reading()?.wallMs, start.wallMs + 500)
    setWall(start.wallMs + 500)
    guard.assertSafe(clock.nowMs())
  })

  it("is not kept on a machine that doesn't name its runs", () => {
    const { clock } = machine(start)
    const guard = openClockGuard({ clock: { ...clock, bootId: () => undefined }, last: undefined })
    assert.equal(guard.reading(), undefined)
  })
})
