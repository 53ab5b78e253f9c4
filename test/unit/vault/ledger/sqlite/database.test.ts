import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it, type TestContext } from "node:test"

import { copyDatabase } from "../../../../../src/vault/ledger/sqlite/database.ts"
import { temporaryDirectory } from "../../../../support/link-peer.ts"

/** A database of one row, which is written to. */
function openWritten(t: TestContext) {
  const directory = temporaryDirectory()
  const database = new DatabaseSync(join(directory.path, "from.db"))
  t.after(() => {
    database.close()
    directory.remove()
  })
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)")
  return { database, to: join(directory.path, "to.db") }
}

/** Begins a copy in the middle of a transaction, and ends that once the copy's first step, in a thread of its own, must have met it. */
function copyWhileWriting(database: DatabaseSync, to: string, tries?: number): Promise<void> {
  database.exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (2)")
  const copying = copyDatabase(database, to, tries)
  const untilMs = performance.now() + 300
  while (performance.now() < untilMs);
  database.exec("COMMIT")
  return copying
}

function rowsIn(file: string): unknown {
  const copied = new DatabaseSync(file, { readOnly: true })
  const { count } = copied.prepare("SELECT count(*) AS count FROM t").get() ?? {}
  copied.close()
  return count
}

describe("a copy of the ledger's database", () => {
  it("begins again where it began while something was written", async (t) => {
    const { database, to } = openWritten(t)
    await copyWhileWriting(database, to)
    assert.equal(rowsIn(to), 2)
  })

  it("gives up where it can't begin as often as it may", async (t) => {
    const { database, to } = openWritten(t)
    await assert.rejects(copyWhileWriting(database, to, 0), { errcode: 0 })
  })

  it("fails at once where it can't be written", async (t) => {
    const { database, to } = openWritten(t)
    await assert.rejects(copyDatabase(database, join(to, "nowhere")), /unable to open/)
  })
})
