import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { fakeClock, startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import { ledgerPlace, refusalEntry, reserved } from "../../../../support/ledger-ask.ts"

async function open(t: TestContext) {
  const place = await ledgerPlace()
  const ledger = await openLedger({ file: place.file, clock: fakeClock() })
  t.after(async () => {
    await ledger.close()
    await place.remove()
  })
  return ledger
}

const second = (count: number): number => startMs + count * 1_000

describe("the refusals that were recorded last", () => {
  it("are none in a new ledger, whatever else was recorded", async (t) => {
    const ledger = await open(t)
    await reserved(ledger, startMs)
    assert.deepEqual(await ledger.recentRefusals(5), [])
  })

  it("are told from the newest to the oldest, as many as are asked for", async (t) => {
    const ledger = await open(t)
    for (const n of [0, 1, 2]) ledger.note(refusalEntry(`Refusal ${n}.`), ledgerTime(second(n)))
    const messages = async (limit: number) =>
      (await ledger.recentRefusals(limit)).map(({ row }) => row.refusal.message)
    assert.deepEqual(await messages(2), ["Refusal 2.", "Refusal 1."])
    assert.deepEqual(await messages(3), ["Refusal 2.", "Refusal 1.", "Refusal 0."])
    assert.deepEqual(await messages(4), ["Refusal 2.", "Refusal 1.", "Refusal 0."])
  })

  it("have what was recorded of each, and how often it came once more", async (t) => {
    const ledger = await open(t)
    const id = ledger.note(refusalEntry(), ledgerTime(startMs))
    ledger.note(refusalEntry(), ledgerTime(startMs + 1))
    ledger.note(refusalEntry(), ledgerTime(startMs + 2))
    ledger.note(refusalEntry(), ledgerTime(second(1))) // ends the first one's second
    const [, first] = await ledger.recentRefusals(5)
    assert.equal(first?.repeats, 2)
    assert.partialDeepStrictEqual(first.row, { id, at_ms: startMs, ...refusalEntry() })
  })

  it("keep the journal's order when the clock is set back", async (t) => {
    const ledger = await open(t)
    ledger.note(refusalEntry("First."), ledgerTime(second(60)))
    ledger.note(refusalEntry("Last."), ledgerTime(second(0)))
    assert.deepEqual(
      (await ledger.recentRefusals(5)).map(({ row }) => row.refusal.message),
      ["Last.", "First."],
    )
  })
})
