import assert from "node:assert/strict"
import type { DatabaseSync } from "node:sqlite"
import { after, before, describe, it } from "node:test"

import { openDatabase } from "../../../../../src/vault/ledger/sqlite/database.ts"
import { openJournal } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import { readOpenedState, readSet } from "../../../../../src/vault/ledger/sqlite/opened-state.ts"
import { openProjections } from "../../../../../src/vault/ledger/sqlite/projections.ts"
import { readRecentRefusals } from "../../../../../src/vault/ledger/sqlite/stored-rows.ts"
import { historyPager, recordFinder } from "../../../../../src/vault/ledger/sqlite/stored-rows.ts"
import { meterQueries } from "../../../../../src/vault/ledger/sqlite/stored-tail.ts"
import { ledgerPlace, type LedgerPlace } from "../../../../support/ledger-ask.ts"

/** Tables that grow with what is asked; the others grow with signers and what stands. */
const growing = [
  "entries",
  "requests",
  "refusals",
  "shadows",
  "holds",
  "sets",
  "checkpoints",
  "archives",
  "meter_snapshot_texts",
].join("|")

/** Walks a table or an index from its beginning. */
const walk = new RegExp(`^(SCAN (${growing})\\b|SEARCH (${growing}) USING (COVERING )?INDEX \\w+$)`)
/** Takes the first few in the order in which they lie. */
const firstFew = /^(?!.*\bWHERE\b).*\bORDER BY \S+( DESC)? LIMIT (\?|\d+)$/s
const sorts = "USE TEMP B-TREE"

describe("the statements of a start and of a decision", () => {
  let place: LedgerPlace
  let database: DatabaseSync
  before(async () => {
    place = await ledgerPlace()
    database = openDatabase(place.file)
  })
  after(async () => {
    database.close()
    await place.remove()
  })

  /** What the ledger prepares for all that it does while it is open. */
  function prepared(): readonly string[] {
    const statements: string[] = []
    const prepare = (sql: string) => {
      statements.push(sql)
      return database.prepare(sql)
    }
    const noting = Object.assign(Object.create(database) as DatabaseSync, { prepare })
    readOpenedState(noting, 0)
    const journal = openJournal(noting)
    openProjections(noting, journal)
    meterQueries(noting, journal)
    for (const open of [recordFinder, historyPager]) open(noting)
    readSet(noting, "")
    readRecentRefusals(noting, 5)
    return statements
  }

  function planOf(sql: string): readonly string[] {
    return database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail as string)
  }

  it("walk no table that grows with the ledger, and sort none", () => {
    const statements = prepared()
    assert.ok(statements.length > 40)
    for (const sql of statements) {
      const plan = planOf(sql)
      const isWalk = plan.some((step) => walk.test(step)) && !firstFew.test(sql.trim())
      assert.ok(!isWalk, `${sql}\n  ${plan.join("\n  ")}`)
      const isLarge = new RegExp(`\\b(${growing})\\b`).test(sql)
      assert.ok(!isLarge || !plan.some((step) => step.startsWith(sorts)), `${sql} sorts`)
    }
  })

  it("are told from statements that walk", () => {
    const walking = [
      "SELECT count(*) FROM requests",
      "SELECT row FROM entries WHERE kind = 'act' ORDER BY seq LIMIT 1",
      "SELECT min(counted_at) FROM requests WHERE released_at >= 5",
      "SELECT id FROM requests WHERE client = 'a'",
    ]
    for (const sql of walking) {
      assert.ok(planOf(sql).some((step) => walk.test(step)) && !firstFew.test(sql), sql)
    }
  })
})
