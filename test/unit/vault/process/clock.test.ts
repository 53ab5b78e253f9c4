import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  maxClockLeadMs,
  openLedgerClock,
  type Clock,
  type ClockReading,
} from "../../../../src/vault/process/clock.ts"

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
  const guard = openLedgerClock({ clock, last })
  return { guard, doubt: guard.doubt() }
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
    const guard = openLedgerClock({ clock, last })
    suspend(3 * dayMs)
    pass(1_000)
    assert.equal(guard.doubt(), undefined)
    assert.equal(guard.reading().uptimeMs, 51_000 + 3 * dayMs + 1_000)
    setWall(clock.nowMs() + maxClockLeadMs + 1)
    assert.match(guard.doubt() ?? "", /10001 ms ahead/)
  })

  it("is doubted after a leap ahead, and believed once it is set right", () => {
    const { clock, setWall } = machine(start)
    const guard = openLedgerClock({ clock, last })
    setWall(start.wallMs + dayMs)
    assert.throws(() => guard.assertSafe(), { code: "clock_unsafe" })
    assert.equal(guard.now(), start.wallMs)
    const restarted = openLedgerClock({ clock, last: guard.reading() })
    assert.match(restarted.doubt() ?? "", /ahead/)
    assert.equal(restarted.now(), start.wallMs)
    setWall(start.wallMs + 5)
    guard.assertSafe()
    assert.equal(guard.now(), start.wallMs + 5)
  })

  it("is believed as it is once that was accepted", () => {
    const { clock, setWall, pass } = machine(start)
    const guard = openLedgerClock({ clock, last })
    setWall(start.wallMs + dayMs)
    guard.accept()
    pass(100)
    guard.assertSafe()
    assert.deepEqual(guard.reading(), {
      wallMs: start.wallMs + dayMs + 100,
      uptimeMs: 51_100,
      bootId: "one",
    })
  })

  it("keeps the highest time when it is set back, so that setting it right is no leap", () => {
    const { clock, setWall, pass } = machine(start)
    const guard = openLedgerClock({ clock, last })
    setWall(start.wallMs - dayMs)
    pass(500)
    guard.assertSafe()
    assert.equal(guard.reading().wallMs, start.wallMs + 500)
    setWall(start.wallMs + 500)
    guard.assertSafe()
  })

  it("counts every start as one of the machine where that doesn't name its runs", () => {
    const { clock, setWall } = machine(start)
    const nameless = { ...clock, bootId: () => undefined }
    const reading = openLedgerClock({ clock: nameless, last: undefined }).reading()
    assert.deepEqual(reading, { wallMs: start.wallMs, uptimeMs: start.uptimeMs, bootId: "" })
    setWall(start.wallMs + 7 * dayMs)
    assert.equal(openLedgerClock({ clock: nameless, last: reading }).doubt(), undefined)
    setWall(start.wallMs + 7 * dayMs + 1)
    assert.match(openLedgerClock({ clock: nameless, last: reading }).doubt() ?? "", /last record/)
  })
})

describe("the ledger's time", () => {
  const start = { wallMs: wallMs + 1_000, uptimeMs: 51_000 }

  it("is wall time while that is believed, to the last millisecond of a lead", () => {
    const { clock, setWall } = machine(start)
    const time = openLedgerClock({ clock, last })
    setWall(start.wallMs + maxClockLeadMs)
    assert.equal(time.now(), start.wallMs + maxClockLeadMs)
  })

  it("goes on by the time that passes while wall time is too far ahead", () => {
    const { clock, setWall, pass } = machine(start)
    const time = openLedgerClock({ clock, last })
    setWall(start.wallMs + maxClockLeadMs + 1)
    pass(700)
    assert.equal(time.now(), start.wallMs + 700)
  })

  it("never goes back with a clock that is set back, but waits for it at nine tenths of its pace", () => {
    const { clock, setWall, pass } = machine(start)
    const time = openLedgerClock({ clock, last })
    setWall(start.wallMs - 5_000)
    assert.equal(time.now(), start.wallMs)
    pass(10_000)
    assert.equal(time.now(), start.wallMs + 9_000)
    assert.equal(time.behindMs(), 4_000)
    pass(40_000)
    assert.equal(time.now(), clock.nowMs(), "it was waited for")
    assert.equal(time.behindMs(), 0)
  })

  it("doesn't stand still for being asked every millisecond meanwhile", () => {
    const { clock, setWall, pass } = machine(start)
    const time = openLedgerClock({ clock, last })
    setWall(start.wallMs - dayMs)
    for (let asked = 0; asked < 1_000; asked++) {
      pass(1)
      time.now()
    }
    assert.ok(Math.abs(time.now() - (start.wallMs + 900)) <= 1)
  })

  const restarts = [
    { name: "of the process", bootId: "one", uptimeMs: 53_000, passedMs: 3_000 },
    { name: "of the machine", bootId: "two", uptimeMs: 9_000, passedMs: 0 },
  ]
  for (const { name, bootId, uptimeMs, passedMs } of restarts) {
    it(`doesn't go back over a start ${name} either`, () => {
      const { clock } = machine({ wallMs: wallMs - dayMs, uptimeMs, bootId })
      assert.equal(openLedgerClock({ clock, last }).now(), wallMs + passedMs)
    })
  }

  it("goes back to wall time where an operator accepts that, and on from there", () => {
    const { clock, setWall, pass } = machine(start)
    const time = openLedgerClock({ clock, last })
    setWall(start.wallMs - dayMs)
    assert.equal(time.accept(), start.wallMs - dayMs)
    pass(10)
    assert.equal(time.now(), start.wallMs - dayMs + 10)
    assert.equal(time.reading().wallMs, start.wallMs - dayMs + 10)
  })

  it("goes neither back nor over wall time and what has passed by more than a lead, whatever the clock does", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(5_000) }),
      fc.record({ kind: fc.constant("set" as const), ms: fc.integer({ min: -dayMs, max: dayMs }) }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { clock, setWall, pass } = machine(start)
        const time = openLedgerClock({ clock, last })
        let earlier = time.now()
        let passedMs = 0
        for (const { kind, ms } of steps) {
          if (kind === "set") setWall(clock.nowMs() + ms)
          else {
            pass(ms)
            passedMs += ms
          }
          const now = time.now()
          assert.ok(now >= earlier)
          assert.ok(now <= start.wallMs + passedMs + maxClockLeadMs)
          earlier = now
        }
      }),
    )
  })
})
