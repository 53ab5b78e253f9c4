import assert from "node:assert/strict"
import type { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, it } from "node:test"

import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import type { JournalRow, RequestRow } from "../../../../../src/vault/ledger/records/row.ts"
import { openDatabase } from "../../../../../src/vault/ledger/sqlite/database.ts"
import { openJournal } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import {
  openProjections,
  type Projections,
} from "../../../../../src/vault/ledger/sqlite/projections.ts"
import { verdictOf } from "../../../../support/audit-ledger.ts"
import { copyLedger } from "../../../../support/crash-image.ts"
import { fakeClock, startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  recordOf,
  ledgerPlace,
  otherSigner,
  recordedSince,
  requestEntry,
  reserved,
  signer,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { numRuns } from "../../../../support/runs.ts"

import fc from "fast-check"

let places: LedgerPlace[]

beforeEach(() => {
  places = []
})
afterEach(async () => {
  for (const place of places) await place.remove()
})

async function newPlace(): Promise<LedgerPlace> {
  const place = await ledgerPlace()
  places.push(place)
  return place
}

function request(nonce: number, more: Partial<RequestRow> = {}): RequestRow {
  return {
    ...{ kind: "request", id: `request-${nonce}`, at_ms: startMs, client: "bot", key: "mm" },
    ...{ operation: "placeOrder", path: requestEntry.path, target: null, body: "{}" },
    ...{ policy_hash: "ab".repeat(32), rule: "a/b", purpose: "return", signer },
    ...{ nonce, expires_after: nonce + 15_000 },
    ...more,
  }
}

const keyed = { by: "header", key: "k", binding: "cd".repeat(32) } as const

function openTables(database: DatabaseSync): Projections {
  return openProjections(database, openJournal(database))
}

function countOf(database: DatabaseSync, table: string): unknown {
  return database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"]
}

/** The tables beside a journal, with all that is in them. */
function tablesOf(database: DatabaseSync) {
  return ["requests", "refusals", "signers"].map((table) =>
    database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all(),
  )
}

describe("a request in the journal", () => {
  let database: DatabaseSync
  let tables: Projections

  beforeEach(async () => {
    database = openDatabase((await newPlace()).file)
    tables = openTables(database)
  })
  afterEach(() => database.close())

  it("trails until the tables catch up", () => {
    tables.write(request(1))
    assert.deepEqual([countOf(database, "entries"), countOf(database, "requests")], [1, 0])
    assert.equal(tables.trailing(), 1)
    tables.catchUp()
    assert.equal(countOf(database, "requests"), 1)
    assert.equal(tables.trailing(), 0)
  })

  it("is found to trail when the tables are opened anew", () => {
    tables.write(request(1))
    tables.write(request(2))
    const anew = openTables(database)
    assert.equal(anew.trailing(), 2)
    anew.catchUp()
    assert.equal(countOf(database, "requests"), 2)
    assert.equal(openTables(database).trailing(), 0)
  })

  it("doesn't trail behind what isn't a request", () => {
    tables.write(request(1))
    const outcome = { record: "request-1", outcome: "accepted", status: 200, code: "0" } as const
    const told = tables.write({ kind: "outcome", id: "o", at_ms: startMs, ...outcome })
    assert.equal(told.kind, "written")
    assert.equal(tables.trailing(), 0)
  })

  it("doesn't trail with an idempotency key or a release, which the database refuses a second time", () => {
    tables.write(request(1, { idempotency: keyed }))
    assert.equal(tables.trailing(), 0)
    assert.throws(() => tables.write(request(2, { idempotency: keyed })), /UNIQUE/)
    assert.throws(() => tables.write(request(3, { release: "no such hold" })), /used twice/)
  })

  it("is refused with a nonce that isn't above all of its signer, also above those that trail", () => {
    tables.write(request(7))
    for (const nonce of [7, 6]) {
      assert.throws(() => tables.write(request(nonce)), /a nonce was used twice/)
      assert.throws(() => openTables(database).write(request(nonce)), /a nonce was used twice/)
    }
    tables.write(request(8))
    tables.write(request(7, { id: "another", signer: otherSigner }))
  })
})

describe("tables that trail", () => {
  type Step =
    | { readonly kind: "request"; readonly isKeyed: boolean }
    | { readonly kind: "refusal" | "catch_up" | "reopen" }
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant("request"), isKeyed: fc.boolean() }) },
    fc.record({ kind: fc.constantFrom("refusal", "catch_up", "reopen") }),
  )

  it("come to what they are when they never do, whatever was written between", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const trailing = openDatabase((await newPlace()).file)
        const atOnce = openDatabase((await newPlace()).file)
        play(steps, trailing, () => undefined)
        play(steps, atOnce, (tables) => tables.catchUp())
        assert.deepEqual(tablesOf(trailing), tablesOf(atOnce))
        trailing.close()
        atOnce.close()
      }),
      numRuns(20),
    )
  })

  function play(
    steps: readonly Step[],
    database: DatabaseSync,
    after: (tables: Projections) => void,
  ): void {
    let tables = openTables(database)
    for (const [index, { kind, ...step }] of steps.entries()) {
      if (kind === "reopen") tables = openTables(database)
      else if (kind === "catch_up") tables.catchUp()
      else tables.write(kind === "refusal" ? refusal(index) : requestOf(index, step))
      after(tables)
    }
    tables.catchUp()
  }

  function requestOf(index: number, step: object): RequestRow {
    const isKeyed = "isKeyed" in step && step.isKeyed === true
    return request(index, isKeyed ? { idempotency: { ...keyed, key: `k${index}` } } : {})
  }

  function refusal(index: number): JournalRow {
    const { client, key, operation, policy_hash } = request(index)
    const refused = { code: "unknown_record", message: "", data: null } as const
    const common = { kind: "refusal", id: `refusal-${index}`, at_ms: startMs } as const
    return { ...common, client, key, operation, policy_hash, refusal: refused }
  }
})

describe("a ledger that was left by a crash", () => {
  it("knows every request that was durable, and no nonce comes again", async () => {
    const clock = fakeClock()
    const place = await newPlace()
    const image = await newPlace()
    const ledger = await openLedger({ file: place.file, clock })
    const told = []
    for (let count = 0; count < 5; count++) told.push(await reserved(ledger, clock.nowMs()))
    copyLedger(place.file, image.file)
    await ledger.close()

    assert.equal((await verdictOf(image.file)).flaw, undefined)
    const again = await openLedger({ file: image.file, clock })
    for (const { record, nonce } of told) {
      assert.equal((await recordOf(again, record, ledgerTime(clock.nowMs())))?.nonce, nonce)
    }
    assert.equal((await recordedSince(again, 0)).length, 5)
    const last = told.at(-1)?.nonce ?? 0
    assert.ok((await reserved(again, clock.nowMs())).nonce > last)
    await again.close()
  })
})
