import type { DatabaseSync } from "node:sqlite"

import { commitStages } from "../../process/stages.ts"
import type { Head } from "../store/store.ts"
import { auditRunner, isAuditJob } from "./audit-runner.ts"
import { clockKeeper, openJournal, type Journal } from "./journal.ts"
import { readSet, readSets } from "./opened-state.ts"
import { openProjections, type Projections } from "./projections.ts"
import { readRecentRefusals } from "./recent-refusals.ts"
import { giveUpSpare } from "./spare-space.ts"
import { isFull } from "./sqlite-fault.ts"
import { keyFinder, recordSearcher } from "./stored-keys.ts"
import { historyPager, recordFinder, shadowPager } from "./stored-rows.ts"
import { isMeterJob, meterRunner } from "./stored-tail.ts"
import type { Batch, Job, JobResult } from "./worker-messages.ts"

/** A batch that is written, in a transaction that is still open. */
export type Prepared = {
  readonly batch: Batch
  readonly results: readonly JobResult[]
  /** What it appended. */
  readonly rows: readonly string[]
  readonly head: Head
  /** How many requests the tables don't have yet. */
  readonly trailing: number
}

export type BatchRunner = {
  /** Writes it in a transaction, which stays open. */
  readonly prepare: (batch: Batch) => Prepared
  readonly commit: (prepared: Prepared) => Prepared
}

/**
 * Where the disk is full, the ledger's spare is given up and the whole batch is run once more, from its
 * beginning and by what the database says: what the failed run kept in memory counts no more.
 */
export function patientRunner(database: DatabaseSync, file: string): BatchRunner {
  let prepare = batchPreparer(database)
  const commit = (prepared: Prepared): Prepared => {
    database.exec("COMMIT")
    commitStages.publish({ stage: "committed" })
    return prepared
  }
  const startAgain = (error: unknown): void => {
    if (!isFull(error) || !giveUpSpare(file)) throw error
    if (database.isTransaction) database.exec("ROLLBACK")
    prepare = batchPreparer(database)
  }
  return {
    prepare(batch) {
      try {
        return prepare(batch)
      } catch (error) {
        startAgain(error)
        return prepare(batch)
      }
    },
    commit(prepared) {
      try {
        return commit(prepared)
      } catch (error) {
        startAgain(error)
        return commit(prepare(prepared.batch))
      }
    },
  }
}

function batchPreparer(database: DatabaseSync): (batch: Batch) => Prepared {
  const journal = openJournal(database)
  const tables = openProjections(database, journal)
  const run = jobRunner(database, journal, tables)
  const keepClock = clockKeeper(database)
  return (batch) => {
    database.exec("BEGIN IMMEDIATE")
    const results = batch.jobs.map((job) => {
      if (job.kind === "write") return tables.write(job.row)
      tables.catchUp()
      return run(job)
    })
    if (batch.clock !== undefined) keepClock(batch.clock)
    commitStages.publish({ stage: "written" })
    const [rows, head] = [journal.appended(), journal.head()]
    return { batch, results, rows, head, trailing: tables.trailing() }
  }
}

/** Does whatever isn't writing a row. */
function jobRunner(
  database: DatabaseSync,
  journal: Journal,
  tables: Projections,
): (job: Exclude<Job, { readonly kind: "write" }>) => JobResult {
  const [findRecord, findKey] = [recordFinder(database), keyFinder(database)]
  const searchRecords = recordSearcher(database)
  const [findPage, findShadows] = [historyPager(database), shadowPager(database)]
  const runMeters = meterRunner(database, journal)
  const writeProbe = prober(database)
  const runAudit = auditRunner(database, journal, tables.write)
  return (job) => {
    if (isAuditJob(job)) return runAudit(job)
    if (isMeterJob(job)) return runMeters(job)
    switch (job.kind) {
      case "catch_up":
        return undefined
      case "find":
        return findRecord(job.id)
      case "find_key":
        return findKey(job.key)
      case "search":
        return searchRecords(job.search)
      case "count":
        return journal.length()
      case "history":
        return findPage(job.after, job.lastSeq)
      case "shadows":
        return findShadows(job.after)
      case "set":
        return readSet(database, job.hash)
      case "sets":
        return readSets(database)
      case "recent_refusals":
        return readRecentRefusals(database, job.limit)
      case "probe":
        return writeProbe(job.nowMs)
    }
  }
}

/** Prepares writing the row that shows that the ledger can be written. Within the open transaction. */
function prober(database: DatabaseSync): (nowMs: number) => number {
  const write = database.prepare(
    `INSERT INTO probe (one, at_ms) VALUES (1, ?)
     ON CONFLICT (one) DO UPDATE SET at_ms = excluded.at_ms`,
  )
  return (nowMs) => {
    write.run(nowMs)
    return nowMs
  }
}
