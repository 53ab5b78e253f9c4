import assert from "node:assert/strict"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, it } from "node:test"

import {
  copyLedger,
  verifyBackup,
  openLedgerReader,
  readLedger,
} from "../../../src/audit/open-ledger.ts"
import { aboutEntry, entriesAfter, lastEntries } from "../../../src/audit/read-entries.ts"
import type { Ledger } from "../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../src/vault/ledger/open-ledger.ts"
import type { RequestRow } from "../../../src/vault/ledger/records/row.ts"
import { openDatabase } from "../../../src/vault/ledger/sqlite/database.ts"
import { openJournal } from "../../../src/vault/ledger/sqlite/journal.ts"
import { openProjections } from "../../../src/vault/ledger/sqlite/projections.ts"
import { tamper, verdictOf } from "../../support/audit-ledger.ts"
import { fakeClock, startMs } from "../../support/fake-clock.ts"
import { ledgerPlace, requestEntry, reserved, signer } from "../../support/ledger-ask.ts"

let file: string
let remove: () => Promise<void>

beforeEach(async () => {
  const place = await ledgerPlace()
  file = place.file
  remove = () => place.remove()
})
afterEach(() => remove())

const count = (): Promise<number> =>
  readLedger(file, (ledger) => entriesAfter(ledger, 0).toArray().length)

describe("a ledger that another writes", () => {
  let ledger: Ledger
  const clock = fakeClock()

  beforeEach(async () => {
    ledger = await openLedger({ file, clock })
  })
  afterEach(() => ledger.close())

  it("is read as of what was answered", async () => {
    await reserved(ledger, clock.nowMs())
    assert.equal(await count(), 1)
    await reserved(ledger, clock.nowMs())
    assert.equal(await count(), 2)
  })

  it("is whole at every look, however much is written meanwhile", async () => {
    const looking = new AbortController()
    const writing = (async () => {
      while (!looking.signal.aborted) {
        clock.pass(100)
        await Promise.all(Array.from({ length: 40 }, () => reserved(ledger, clock.nowMs())))
      }
    })()
    for (let look = 0; look < 60; look++) {
      const { flaw } = await verdictOf(file)
      assert.equal(flaw, undefined)
      await new Promise((done) => setImmediate(done))
    }
    looking.abort()
    await writing
    assert.ok((await count()) > 100)
  })

  it("goes on being written while a reader looks, and is as it was to that reader", async () => {
    await reserved(ledger, clock.nowMs())
    const reader = openLedgerReader(file)
    reader.exec("BEGIN")
    assert.equal(lastEntries(reader, 9).length, 1)
    await reserved(ledger, clock.nowMs())
    assert.equal(lastEntries(reader, 9).length, 1)
    reader.exec("COMMIT")
    assert.equal(lastEntries(reader, 9).length, 2)
    reader.close()
  })

  it("can't be written by who reads it", () => {
    const reader = openLedgerReader(file)
    assert.throws(() => reader.exec("DELETE FROM entries"), { errstr: /readonly/ })
    reader.close()
  })

  it("isn't written, and says why, where another program keeps it for itself", async () => {
    const other = new DatabaseSync(file)
    other.exec("BEGIN IMMEDIATE")
    await assert.rejects(reserved(ledger, clock.nowMs()), {
      code: "ledger_unavailable",
      message: /Another program keeps the ledger .* or one that writes to it; end that/,
    })
    other.close()
  })

  it("is copied whole, with what was answered", async () => {
    await reserved(ledger, clock.nowMs())
    await readLedger(file, (reader) => copyLedger(reader, `${file}.copy`))
    assert.equal(verifyBackup(`${file}.copy`).seq, 1)
  })

  it("lacks what the daemon wrote last where somebody cut it off", async () => {
    await reserved(ledger, clock.nowMs())
    await reserved(ledger, clock.nowMs())
    const { seq, hash } = await ledger.audit.ends()
    await ledger.close()
    const head = { seq, hash }
    assert.equal((await verdictOf(file, { head })).flaw, undefined)
    tamper(file, "DELETE FROM entries WHERE seq = 2; DELETE FROM requests WHERE seq = 2")
    assert.deepEqual((await verdictOf(file, { head })).flaw, {
      seq: 2,
      id: null,
      what: "it is missing, and so is all up to entry 2, which the daemon that writes it names",
    })
  })
})

describe("what stands in the journal alone, as a crash leaves it", () => {
  const request = (nonce: number): RequestRow => ({
    ...{ kind: "request", id: `request-${nonce}`, at_ms: startMs, client: "bot", key: "mm" },
    ...{ operation: "placeOrder", path: requestEntry.path, target: null, body: "{}" },
    ...{ policy_hash: "ab".repeat(32), rule: "a/b", purpose: "return", signer },
    ...{ nonce, expires_after: nonce + 15_000, ever: { life: String(nonce) } },
  })

  /** A ledger whose tables have the first two requests, and not the third. */
  function trailing(): void {
    const database = openDatabase(file)
    const tables = openProjections(database, openJournal(database))
    tables.write(request(1))
    tables.write(request(2))
    tables.catchUp()
    tables.write(request(3))
    database.close()
  }

  it("is whole, and is shown", async () => {
    trailing()
    assert.equal((await verdictOf(file)).flaw, undefined)
    const about = await readLedger(file, (ledger) => aboutEntry(ledger, "request-3"))
    assert.equal(about?.entry.seq, 3)
  })

  it("excuses no row that the tables lost from before it", async () => {
    trailing()
    tamper(file, "DELETE FROM requests WHERE seq = 1")
    const { flaw } = await verdictOf(file)
    assert.deepEqual([flaw?.seq, flaw?.what], [1, "the table requests doesn't have it"])
  })

  for (const [what, sql] of [
    ["nonce", "UPDATE signers SET last_nonce = 0"],
    ["sum", "UPDATE ever_sums SET used = '0'"],
  ] as const) {
    it(`excuses no lower ${what} once another entry came after it`, async () => {
      trailing()
      const database = openDatabase(file)
      const tables = openProjections(database, openJournal(database))
      tables.write({ kind: "omitted", id: "o", at_ms: startMs, count: 1 })
      database.close()
      assert.equal((await verdictOf(file)).flaw, undefined)
      tamper(file, sql)
      assert.match((await verdictOf(file)).flaw?.what ?? "", /lower nonce|has less of life/)
    })
  }
})

describe("a file that can't be read as a ledger", () => {
  it("is named where it isn't there", () => {
    assert.throws(() => openLedgerReader(file), {
      code: "not_initialised",
      message: /doesn't exist; run countersign init first/,
    })
  })

  it("is named where another program's data is in it", () => {
    tamper(file, "CREATE TABLE t (a)")
    assert.throws(() => openLedgerReader(file), { code: "ledger_unusable" })
  })

  it("is named where an earlier version wrote it, which a start brings up to date", () => {
    openDatabase(file).close()
    tamper(file, "PRAGMA user_version = 3")
    assert.throws(() => openLedgerReader(file), {
      code: "ledger_unusable",
      message: /was written by an earlier Countersign; start this one once/,
    })
  })

  it(
    "is named where a daemon of an earlier version keeps it for itself",
    { timeout: 30_000 },
    () => {
      openDatabase(file).close()
      const earlier = new DatabaseSync(file)
      earlier.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
      assert.throws(() => openLedgerReader(file), {
        code: "ledger_unavailable",
        message: /a daemon of an earlier version/,
      })
      earlier.close()
    },
  )
})
