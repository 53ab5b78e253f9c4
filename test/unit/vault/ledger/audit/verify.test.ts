import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { copyFile } from "node:fs/promises"
import { after, before, describe, it } from "node:test"
import fc from "fast-check"

import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import { ever } from "../../../../../src/vault/policy/terms.ts"
import { aClaim } from "../../../../support/a-claim.ts"
import { fakeClock, ledgerTime, startMs } from "../../../../support/fake-clock.ts"
import { query } from "../../../../support/read-ledger.ts"
import { fillLedger, filled, tamper, verdictOf } from "../../../../support/audit-ledger.ts"
import { ledgerPlace, plainAsk, reserve, type LedgerPlace } from "../../../../support/ledger-ask.ts"
import { numRuns } from "../../../../support/runs.ts"

let whole: LedgerPlace
let place: LedgerPlace
before(async () => {
  whole = await ledgerPlace()
  place = await ledgerPlace()
  await fillLedger(whole.file)
})
after(async () => {
  await whole.remove()
  await place.remove()
})

/** What is wrong with a ledger that was whole before `sql` changed it. */
async function flawAfter(sql: string, ...values: (string | number | Uint8Array)[]) {
  await copyFile(whole.file, place.file)
  tamper(place.file, sql, ...values)
  return (await verdictOf(place.file)).flaw
}

function idOf(seq: number): string {
  return query(whole.file, `SELECT id FROM entries WHERE seq = ${seq}`)[0]?.["id"] as string
}

describe("a check of a ledger", () => {
  it("finds a whole one whole, counts its entries and tells its head and last checkpoint", async () => {
    const { flaw, entries, firstSeq, position } = await verdictOf(whole.file)
    assert.equal(flaw, undefined)
    assert.deepEqual([entries, firstSeq, position.seq], [filled.last, 1, filled.last])
    const [last] = query(whole.file, "SELECT hash FROM entries ORDER BY seq DESC LIMIT 1")
    assert.equal(position.hash, Buffer.from(last?.["hash"] as Uint8Array).toString("hex"))
    assert.equal(position.checkpoint?.head_seq, filled.last - 1)
  })

  for (const [column, sql] of [
    ["id", "UPDATE entries SET id = replace(id, substr(id, 9, 1), 'x') WHERE seq = 2"],
    ["kind", "UPDATE entries SET kind = 'rolling' WHERE seq = 2"],
    ["at_ms", "UPDATE entries SET at_ms = at_ms + 1 WHERE seq = 2"],
  ] as const) {
    it(`names the entry whose column ${column} was changed`, async () => {
      const flaw = await flawAfter(sql)
      assert.equal(flaw?.seq, 2)
      assert.equal(flaw.what, `its column ${column} doesn't say what its row says`)
    })
  }

  it("names the entry whose row was changed", async () => {
    const flaw = await flawAfter(
      "UPDATE entries SET row = replace(row, '64000', '64001') WHERE seq = 2",
    )
    assert.deepEqual(flaw, { seq: 2, id: idOf(2), what: "its row was changed" })
  })

  it("names the entry whose row can't be read any more", async () => {
    const flaw = await flawAfter("UPDATE entries SET row = substr(row, 2) WHERE seq = 3")
    assert.deepEqual([flaw?.seq, flaw?.id], [3, idOf(3)])
  })

  it("names the entry whose hash was changed", async () => {
    const flaw = await flawAfter("UPDATE entries SET hash = zeroblob(32) WHERE seq = 4")
    assert.deepEqual(flaw, { seq: 4, id: idOf(4), what: "its hash was changed" })
  })

  it("names the last entry when its row or hash was changed", async () => {
    const flaw = await flawAfter(
      "UPDATE entries SET hash = zeroblob(32) WHERE seq = ?",
      filled.last,
    )
    assert.deepEqual([flaw?.seq, flaw?.what], [filled.last, "its row or its hash was changed"])
  })

  it("names the first entry that is missing", async () => {
    const flaw = await flawAfter("DELETE FROM entries WHERE seq IN (4, 5)")
    assert.deepEqual(flaw, {
      seq: 4,
      id: null,
      what: "it and what follows up to entry 5 are missing",
    })
    assert.deepEqual((await flawAfter("DELETE FROM entries WHERE seq = 1"))?.seq, 1)
  })

  it("names the first of two entries that were swapped", async () => {
    const flaw = await flawAfter(
      `UPDATE entries SET seq = -1 WHERE seq = 3; UPDATE entries SET seq = 3 WHERE seq = 8;
       UPDATE entries SET seq = 8 WHERE seq = -1`,
    )
    assert.equal(flaw?.seq, 3)
    assert.match(flaw.what, /says that it is entry 8: entries were reordered/)
  })

  it("notices entries cut off at the end by the tables that know of them", async () => {
    const flaw = await flawAfter("DELETE FROM entries WHERE seq >= 9")
    assert.equal(flaw?.seq, 9)
    assert.match(flaw.what, /^it is missing: the table checkpoints has entry 12/)
    const request = await flawAfter(
      "DELETE FROM entries WHERE seq >= 9; DELETE FROM checkpoints WHERE seq >= 9",
    )
    assert.equal(request?.seq, 9)
    assert.match(request.what, /^it is missing: the table requests has a request/)
  })

  it("notices a request or refusal that the tables don't have, or have otherwise", async () => {
    for (const [table, seq] of [
      ["requests", 2],
      ["refusals", 4],
    ] as const) {
      const flaw = await flawAfter(`DELETE FROM ${table} WHERE seq = ${seq}`)
      assert.deepEqual([flaw?.seq, flaw?.what], [seq, `the table ${table} doesn't have it`])
    }
    for (const column of ["client", "key", "operation", "signer"]) {
      const flaw = await flawAfter(`UPDATE requests SET ${column} = 'x' WHERE seq = 2`)
      assert.equal(flaw?.what, `the table requests has another ${column} than its row`)
    }
    for (const column of ["nonce", "expires_after", "decided_at"]) {
      const flaw = await flawAfter(`UPDATE requests SET ${column} = ${column} + 1 WHERE seq = 2`)
      assert.equal(flaw?.what, `the table requests has another ${column} than its row`)
    }
  })

  it("notices a request that the journal doesn't have, and a last nonce that was set back", async () => {
    const orphan = await flawAfter(
      "UPDATE requests SET id = 'rec_x', seq = 99, nonce = 1 WHERE seq = 9; DELETE FROM entries WHERE seq >= 9; DELETE FROM checkpoints WHERE seq >= 9; DELETE FROM refusals WHERE seq >= 9",
    )
    assert.deepEqual([orphan?.seq, orphan?.id], [99, "rec_x"])
    const nonce = await flawAfter("UPDATE signers SET last_nonce = last_nonce - 1")
    assert.match(nonce?.what ?? "", /table signers has a lower nonce/)
  })

  it("notices that the table has less of what counts for ever than the journal", async () => {
    const counted = await ledgerPlace()
    try {
      const ledger = await openLedger({ file: counted.file, clock: fakeClock() })
      await ledger.replaceMeters(() => [], Infinity)
      const claims = [aClaim({ meter: "life", window: ever, amount: "2.5" })]
      for (let each = 0; each < 2; each++) {
        await reserve(ledger, { ...plainAsk, claims, nowMs: ledgerTime(startMs) })
      }
      await ledger.close()
      for (const [used, isWhole] of [
        ["5.0", true],
        ["5.1", true],
        ["4.9", false],
      ] as const) {
        tamper(counted.file, "UPDATE ever_sums SET used = ?", used)
        const { flaw } = await verdictOf(counted.file)
        assert.equal(flaw === undefined, isWhole, used)
      }
      tamper(counted.file, "DELETE FROM ever_sums")
      const { flaw } = await verdictOf(counted.file)
      assert.match(flaw?.what ?? "", /table ever_sums has less of life/)
    } finally {
      await counted.remove()
    }
  })

  it("compares with a checkpoint that was kept elsewhere", async () => {
    const { position } = await verdictOf(whole.file)
    const kept = position.checkpoint
    assert.ok(kept)
    assert.equal((await verdictOf(whole.file, { kept })).flaw, undefined)

    await copyFile(whole.file, place.file)
    tamper(
      place.file,
      `DELETE FROM entries WHERE seq >= 9; DELETE FROM checkpoints WHERE seq >= 9;
       DELETE FROM requests WHERE seq >= 9; DELETE FROM refusals WHERE seq >= 9`,
    )
    assert.equal((await verdictOf(place.file)).flaw, undefined, "a cut that nothing else tells of")
    const cut = await verdictOf(place.file, { kept })
    assert.equal(cut.flaw?.seq, 9)
    assert.match(cut.flaw.what, /all up to entry 11, which the checkpoint that was kept names/)

    const other = { ...kept, head_hash: "0".repeat(64) }
    const replaced = await verdictOf(whole.file, { kept: other })
    assert.equal(replaced.flaw?.seq, filled.last - 1)
  })

  it("calls nothing broken where the checkpoint that was kept is of another installation", async () => {
    const kept = (await verdictOf(whole.file)).position.checkpoint
    assert.ok(kept)
    const other = "0".repeat(64)
    const { flaw, entries } = await verdictOf(whole.file, { kept: { ...kept, public_key: other } })
    assert.deepEqual([flaw?.isOfAnother, entries], [true, 0])
    assert.match(flaw?.what ?? "", new RegExp(`with ${other}, and this ledger signs its own with`))

    await copyFile(whole.file, place.file)
    tamper(place.file, "DELETE FROM checkpoints")
    const none = await verdictOf(place.file, { kept })
    assert.match(none.flaw?.what ?? "", /this ledger has no checkpoint yet/)
  })

  it("notices that the last checkpoint's table was made to name the key that was kept", async () => {
    const kept = (await verdictOf(whole.file)).position.checkpoint
    assert.ok(kept)
    await copyFile(whole.file, place.file)
    const public_key = "0".repeat(64)
    tamper(place.file, "UPDATE checkpoints SET public_key = ?", public_key)
    const { flaw } = await verdictOf(place.file, { kept: { ...kept, public_key } })
    assert.match(flaw?.what ?? "", /signed with another key/)
  })
})

describe("a ledger whose chain was made anew", () => {
  it("is noticed by the first checkpoint after the change, whose signature doesn't fit", async () => {
    await copyFile(whole.file, place.file)
    rechain(place.file, (seq, row) => (seq === 2 ? row.replace("64000", "64001") : row))
    const { flaw } = await verdictOf(place.file)
    assert.deepEqual([flaw?.seq, flaw?.what], [5, "the checkpoint isn't of the entry before it"])
  })

  it("is noticed though the checkpoints were made to name the new hashes", async () => {
    await copyFile(whole.file, place.file)
    rechain(place.file, (seq, row, head) =>
      seq === 2
        ? row.replace("64000", "64001")
        : row.replace(/"head_hash":"[0-9a-f]+"/, `"head_hash":"${head}"`),
    )
    const { flaw } = await verdictOf(place.file)
    assert.deepEqual(
      [flaw?.seq, flaw?.what],
      [5, "the checkpoint's signature isn't the ledger key's"],
    )
  })

  it("is noticed by a nonce that is there twice", async () => {
    await copyFile(whole.file, place.file)
    const [first] = query(place.file, "SELECT nonce FROM requests WHERE seq = 2")
    const nonce = String(first?.["nonce"])
    rechain(place.file, (seq, row) =>
      seq === 6 ? row.replace(/"nonce":\d+/, `"nonce":${nonce}`) : row,
    )
    const { flaw } = await verdictOf(place.file)
    assert.equal(flaw?.seq, 6)
    assert.match(flaw.what, /^its nonce \d+ isn't above \d+, an earlier one of the signer/)
  })

  it("may have nonces of an isolated host that are below earlier ones", async () => {
    await copyFile(whole.file, place.file)
    tamper(place.file, "DELETE FROM entries WHERE seq = 12; DELETE FROM checkpoints WHERE seq = 12")
    const nonce = 64 * 1_000 + 50
    tamper(place.file, "UPDATE requests SET nonce = ? WHERE seq = 9", nonce)
    const lower = (row: string) => row.replace(/"nonce":\d+/, `"nonce":${nonce}`)
    const flawOf = async (change: (row: string) => string) => {
      rechain(place.file, (seq, row) => (seq === 9 ? change(row) : row))
      return (await verdictOf(place.file)).flaw
    }
    assert.equal((await flawOf(lower))?.seq, 9)
    const isolated = (row: string) => row.replace('"key":', '"isolated":true,"key":')
    assert.equal(await flawOf(isolated), undefined)
  })
})

/** Writes rows anew with the hashes that follow from them, as one who can write the file can. */
function rechain(file: string, change: (seq: number, row: string, head: string) => string): void {
  let head = Buffer.alloc(32)
  for (const { seq, row } of query(file, "SELECT seq, row FROM entries ORDER BY seq")) {
    const text = change(seq as number, row as string, head.toString("hex"))
    head = createHash("sha256").update(head).update(text).digest()
    tamper(file, "UPDATE entries SET row = ?, hash = ? WHERE seq = ?", text, head, seq as number)
  }
}

describe("a random edit of a ledger", () => {
  it("is always noticed, at the entry where it was made", async () => {
    const columns = ["id", "kind", "at_ms", "row", "hash"] as const
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(
          fc.integer({ min: 1, max: filled.last }),
          fc.constantFrom(...columns),
          fc.nat(),
          fc.integer({ min: 1, max: 127 }),
        ),
        async ([seq, column, at_, bits]) => {
          const [entry] = query(whole.file, `SELECT * FROM entries WHERE seq = ${seq}`)
          const changed = edited(entry?.[column] as string | number | Uint8Array, at_, bits)
          const flaw = await flawAfter(
            `UPDATE entries SET ${column} = ? WHERE seq = ?`,
            changed,
            seq,
          )
          assert.equal(flaw?.seq, seq)
        },
      ),
      numRuns(60),
    )
  })
})

function edited(value: string | number | Uint8Array, at_: number, bits: number) {
  if (typeof value === "number") return value ^ bits
  const bytes = Buffer.from(value)
  const at = at_ % bytes.length
  bytes[at] = (bytes[at] ?? 0) ^ bits
  return typeof value === "string" ? bytes.toString("latin1") : bytes
}
