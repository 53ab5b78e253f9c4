import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { safetyMethods } from "../../../../src/vault/operator/safety-methods.ts"
import { openLedgerClock } from "../../../../src/vault/process/clock.ts"

const leapMs = 3_600_000

/** The methods beside a clock that leapt an hour ahead, and a restored ledger whose signers wait. */
function doubted(t: TestContext) {
  const at = { wallMs: Date.UTC(2026, 0, 1), monotonicMs: 0 }
  const clock = { nowMs: () => at.wallMs, monotonicMs: () => at.monotonicMs }
  const time = openLedgerClock({ clock, last: undefined })
  at.wallMs += leapMs
  const waiting = [{ signer: "0xaa", nonce: 7 }]
  const acts: string[] = []
  t.after(() => (at.wallMs = 0))
  const ledger = {
    clock: time,
    marks: { waiting: () => [...waiting], accept: () => Promise.resolve() },
  }
  const parts = {
    ledger,
    active: () => ({ usableKeys: new Map() }),
    now: () => time.now(),
    inTurn: (work: () => unknown) => work(),
    act: ({ act }: { readonly act: string }) => {
      acts.push(act)
      return Promise.resolve("rec_0")
    },
  }
  return { at, waiting, acts, methods: safetyMethods(parts as never) }
}

describe("a person's word on the clock", () => {
  it("is for the clock that was shown, as it has run on since", async (t) => {
    const { at, acts, methods } = doubted(t)
    const { offset_ms, why } = await methods.lookAtClock()
    assert.match(why, /ahead/)
    at.wallMs += 61_000
    at.monotonicMs += 60_000
    const { now } = await methods.acceptClock({ offset_ms })
    assert.deepEqual([now, acts], [at.wallMs, ["clock_accepted"]])
    await assert.rejects(methods.lookAtClock(), { code: "usage", message: /isn't doubted/ })
  })

  for (const setMs of [1_001, -1_001, 2 * leapMs]) {
    it(`isn't for one that was set by ${setMs} ms since`, async (t) => {
      const { at, acts, methods } = doubted(t)
      const { offset_ms } = await methods.lookAtClock()
      at.wallMs += setMs
      const accepted = methods.acceptClock({ offset_ms })
      await assert.rejects(accepted, { code: "usage", message: /was set since it was shown/ })
      assert.deepEqual(acts, [])
    })
  }
})

describe("a person's word on a restored ledger", () => {
  it("is for the signers that were shown, and for no others", async (t) => {
    const { waiting, acts, methods } = doubted(t)
    const { signers } = await methods.lookAtRestore()
    waiting[0] = { signer: "0xaa", nonce: 8 }
    const other = methods.acceptRestore({ signers: [...signers] })
    await assert.rejects(other, { code: "usage", message: /Other signers wait/ })
    assert.deepEqual(acts, [])
    await methods.acceptRestore({ signers: [...waiting] })
    assert.deepEqual(acts, ["restore_accepted"])
  })
})
