import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { flawIn, sealBatch, type Batch } from "../../../../../src/vault/ledger/postgres/batch.ts"
import { chainHash } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import { newLedgerKey } from "../../../../support/new-ledger-key.ts"
import { numRuns } from "../../../../support/runs.ts"

const ledger = "ab".repeat(16)
const previous = { seq: 4, hash: Buffer.alloc(32, 7) }

const key = newLedgerKey()
const where = { previous, ledger, publicKey: key.publicKey }

function batchOf(rows: readonly string[]): Batch {
  const hash = rows.reduce<Uint8Array>(chainHash, previous.hash)
  const head = { seq: previous.seq + rows.length, hash }
  return sealBatch({ firstSeq: previous.seq + 1, head, host: "a", rows }, ledger, key)
}

const row = fc.json().map((text) => text.replaceAll("\n", " "))
const batch = fc.array(row, { minLength: 1, maxLength: 5 }).map(batchOf)

describe("a batch", () => {
  it("has no flaw where it was sealed, whatever it holds", () => {
    fc.assert(
      fc.property(batch, (one) => assert.equal(flawIn(one, where), undefined)),
      numRuns(100),
    )
  })

  it("has a flaw once anything of it is another", () => {
    const changes: readonly ((one: Batch, at: number) => Batch)[] = [
      (one) => ({ ...one, firstSeq: one.firstSeq + 1 }),
      (one) => ({ ...one, host: "b" }),
      (one) => ({ ...one, head: { ...one.head, seq: one.head.seq + 1 } }),
      (one, at) => ({ ...one, head: { ...one.head, hash: flipped(one.head.hash, at) } }),
      (one, at) => ({ ...one, seal: flipped(one.seal, at) }),
      (one) => ({ ...one, rows: [...one.rows, "{}"] }),
      (one) => ({ ...one, rows: one.rows.slice(1) }),
      (one, at) => ({ ...one, rows: one.rows.with(at % one.rows.length, "changed") }),
    ]
    fc.assert(
      fc.property(batch, fc.constantFrom(...changes), fc.nat(31), (one, change, at) => {
        assert.notEqual(flawIn(change(one, at), where), undefined)
      }),
      numRuns(300),
    )
  })

  it("is of one ledger, one key and one place in the chain", () => {
    const one = batchOf(["{}"])
    assert.match(flawIn(one, { ...where, ledger: "cd".repeat(16) })!, /aren't sealed by host a/)
    assert.match(flawIn(one, { ...where, publicKey: newLedgerKey().publicKey })!, /aren't sealed/)
    assert.match(flawIn(one, { ...where, publicKey: "00" })!, /aren't sealed/)
    const after = { seq: 4, hash: Buffer.alloc(32, 8) }
    assert.match(flawIn(one, { ...where, previous: after })!, /was changed/)
    assert.match(
      flawIn(one, { ...where, previous: { ...previous, seq: 3 } })!,
      /entry 4 is missing/,
    )
  })
})

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Buffer.from(bytes)
  copy[at] = copy[at]! ^ 1
  return copy
}
