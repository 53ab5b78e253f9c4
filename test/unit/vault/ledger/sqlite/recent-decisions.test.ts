import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { fakeClock, startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  ledgerPlace,
  refusalEntry,
  requestEntry,
  reserved,
} from "../../../../support/ledger-ask.ts"

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
      (await ledger.recentRefusals(limit)).map(({ refusal }) => refusal.message)
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
    assert.deepEqual(first, {
      ...{ seq: 1, id, atMs: startMs, client: "mm-bot", key: null, operation: "placeOrder" },
      ...{ rule: null, refusal: refusalEntry().refusal, repeats: 2 },
    })
  })
})

describe("the decisions that were recorded last", () => {
  it("are none in a new ledger", async (t) => {
    const ledger = await open(t)
    assert.deepEqual(await ledger.audit.decisions(5), { recorded: 0, decisions: [] })
  })

  it("are requests and refusals by the journal's order, the newest first, without bodies", async (t) => {
    const ledger = await open(t)
    const { record: first } = await reserved(ledger, startMs)
    const refused = ledger.note(refusalEntry(), ledgerTime(second(1)))
    const { record: last } = await reserved(ledger, second(2))
    const { decisions } = await ledger.audit.decisions(5)
    const { client, key, operation, rule } = requestEntry
    const allowed = { client, key, operation, rule, refusal: null, repeats: 0 }
    assert.deepEqual(decisions, [
      { ...allowed, seq: 3, id: last, atMs: second(2) },
      {
        ...{ seq: 2, id: refused, atMs: second(1), client, key: null, operation },
        ...{ rule: null, refusal: refusalEntry().refusal, repeats: 0 },
      },
      { ...allowed, seq: 1, id: first, atMs: startMs },
    ])
  })

  it("keep that order when the clock is set back", async (t) => {
    const ledger = await open(t)
    ledger.note(refusalEntry("First."), ledgerTime(second(60)))
    ledger.note(refusalEntry("Last."), ledgerTime(second(0)))
    const { decisions } = await ledger.audit.decisions(5)
    assert.deepEqual(
      decisions.map(({ refusal }) => refusal?.message),
      ["Last.", "First."],
    )
  })

  it("are as many as are asked for, and counted however many there were", async (t) => {
    const ledger = await open(t)
    for (const n of [0, 2, 4]) {
      await reserved(ledger, second(n))
      ledger.note(refusalEntry(), ledgerTime(second(n + 1)))
    }
    for (const [limit, seqs] of [
      [2, [6, 5]],
      [6, [6, 5, 4, 3, 2, 1]],
      [7, [6, 5, 4, 3, 2, 1]],
    ] as const) {
      const { recorded, decisions } = await ledger.audit.decisions(limit)
      assert.equal(recorded, 6)
      assert.deepEqual(
        decisions.map(({ seq }) => seq),
        seqs,
      )
    }
  })

  it("count a refusal that came again on the record that it shares", async (t) => {
    const ledger = await open(t)
    ledger.note(refusalEntry(), ledgerTime(startMs))
    ledger.note(refusalEntry(), ledgerTime(startMs + 999))
    ledger.note(refusalEntry(), ledgerTime(second(1))) // ends the first one's second
    const { recorded, decisions } = await ledger.audit.decisions(5)
    assert.equal(recorded, 2)
    assert.deepEqual(
      decisions.map(({ repeats }) => repeats),
      [0, 1],
    )
  })
})
