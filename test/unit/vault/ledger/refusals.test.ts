import assert from "node:assert/strict"
import { setTimeout } from "node:timers/promises"
import { describe, it } from "node:test"

import { openLedger } from "../../../../src/vault/ledger/open-ledger.ts"
import { maxRows } from "../../../../src/vault/ledger/row-counts.ts"
import { maxRefusals } from "../../../../src/vault/ledger/refusal-notes.ts"
import { startMs, ledgerTime } from "../../../support/fake-clock.ts"
import { recordOf, refusalEntry, reserved } from "../../../support/ledger-ask.ts"
import { clock, ledger, openLedgerForEach, place } from "../../../support/ledger-for-each.ts"
import { query, readLedger } from "../../../support/read-ledger.ts"

openLedgerForEach()

/** What one client may have of the bound while no other has any. */
const most = maxRows.refusal

async function repeatsById(): Promise<Readonly<Record<string, unknown>>> {
  await ledger.close()
  const rows = query(place.file, "SELECT id, repeats FROM refusals ORDER BY seq")
  return Object.fromEntries(rows.map(({ id, repeats }) => [id as string, repeats]))
}

describe("a refusal", () => {
  it("isn't recorded where it may not be, and whoever watches hears of it all the same", async () => {
    await ledger.close()
    const watched = await openLedger({ file: place.file, clock, mayNote: () => false })
    const heard: unknown[] = []
    watched.watch({ noted: (...told) => heard.push(told) })
    assert.equal(watched.note(refusalEntry(), ledgerTime(startMs)), null)
    await watched.close()
    assert.deepEqual(heard, [[refusalEntry(), null]])
    assert.deepEqual(readLedger(place.file), [])
  })

  it("is recorded with its reason", async () => {
    const id = ledger.note(refusalEntry(), ledgerTime(startMs))!
    assert.deepEqual(await recordOf(ledger, id, ledgerTime(startMs)), {
      id,
      state: "refused_here",
      client: "mm-bot",
      key: null,
      operation: "placeOrder",
      nonce: null,
      expires_after: null,
      decided_at: startMs,
      policy_hash: "ab".repeat(32),
      refusal: { code: "signer_pace", message: "Too fast.", data: { retry_after_ms: 5 } },
      outcome: null,
      idempotency_key: null,
      client_order_id: null,
    })
  })

  it("is counted on the first record when it comes again within a second, not later", async () => {
    const first = ledger.note(refusalEntry(), ledgerTime(startMs))
    assert.equal(ledger.note(refusalEntry(), ledgerTime(startMs)), first)
    assert.equal(ledger.note(refusalEntry(), ledgerTime(startMs + 999)), first)
    const second = ledger.note(refusalEntry(), ledgerTime(startMs + 1_000))
    assert.notEqual(second, first)
    assert.deepEqual(await repeatsById(), { [first!]: 2, [second!]: 0 })
    assert.deepEqual(
      readLedger(place.file).map(({ kind, at_ms: atMs }) => [kind, atMs]),
      [
        ["refusal", startMs],
        ["repeats", startMs + 999],
        ["refusal", startMs + 1_000],
      ],
    )
  })

  it("has its count written by itself, without a further call", async () => {
    ledger.note(refusalEntry(), ledgerTime(startMs))
    ledger.note(refusalEntry(), ledgerTime(startMs))
    while ((await ledger.count()) < 2) await setTimeout(20)
    await ledger.close()
    assert.equal(readLedger(place.file)[1]?.row["count"], 1)
  })

  it("is recorded anew when the clock was set back", () => {
    const first = ledger.note(refusalEntry(), ledgerTime(startMs))
    assert.notEqual(ledger.note(refusalEntry(), ledgerTime(startMs - 1)), first)
  })

  it("differs by client, operation, code and message", async () => {
    const entry = refusalEntry()
    const others = [
      entry,
      { ...entry, client: "other-bot" },
      { ...entry, operation: null },
      refusalEntry("Much too fast."),
      { ...entry, refusal: { code: "unknown_record", message: "Too fast.", data: null } as const },
    ]
    const ids = others.map((other) => ledger.note(other, ledgerTime(startMs))!)
    assert.equal(new Set(ids).size, others.length)
    assert.deepEqual(Object.keys(await repeatsById()), ids)
  })

  it("of one client leaves room for those of another", () => {
    const note = (client: string, index: number) =>
      ledger.note({ ...refusalEntry(`Refusal ${index}.`), client }, ledgerTime(startMs))
    for (let index = 0; index < maxRefusals; index++) note("a", index)
    assert.equal(note("a", maxRefusals), null)
    assert.notEqual(note("b", 0), null)
  })

  it("is only counted when too many different ones come at once", async () => {
    const ids = Array.from({ length: most + 3 }, (_, index) =>
      ledger.note(refusalEntry(`Refusal ${index}.`), ledgerTime(startMs)),
    )
    assert.equal(ids.indexOf(null), most)
    assert.equal(ids.filter((id) => id === null).length, 3)
    assert.equal(
      ledger.note(refusalEntry("Refusal 0."), ledgerTime(startMs)),
      ids[0],
      "a known one still counts",
    )
    await reserved(ledger, clock.nowMs())

    await ledger.close()
    const entries = readLedger(place.file)
    assert.equal(entries.length, most + 4)
    assert.deepEqual(
      entries.slice(-4).map(({ kind, row }) => [kind, row["count"]]),
      [
        ["request", undefined],
        ["repeats", 1],
        ["refusal", undefined],
        ["omitted", 2],
      ],
    )
    const newest = entries.at(-2)?.row["refusal"] as { message: string }
    assert.equal(newest.message, `Refusal ${most + 2}.`, "the newest is kept")
  })
})
