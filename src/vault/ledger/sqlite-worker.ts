// The thread that owns the database, so that no fsync ever holds the event loop of the vault.

import { backup, type DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

import { commitStage } from "../stages.ts"
import { auditRunner, isAuditJob } from "./audit-jobs.ts"
import { openDatabase } from "./database.ts"
import { clockKeeper } from "./identity.ts"
import { openJournal, type Head, type Journal } from "./journal.ts"
import { isMeterJob, meterRunner } from "./meter-jobs.ts"
import { readOpenedState } from "./opened-state.ts"
import { prober } from "./probe.ts"
import { openProjections } from "./projections.ts"
import { readRecentRefusals } from "./recent-refusals.ts"
import { giveUpSpare } from "./spare-space.ts"
import { faultOf, isFull } from "./sqlite-fault.ts"
import { keyFinder, recordSearcher } from "./stored-keys.ts"
import { historyPager, recordFinder, shadowPager } from "./stored-rows.ts"
import { readSet, readSets } from "./stored-sets.ts"
import type { Batch, FromWorker, Job, JobResult, ToWorker } from "./worker-messages.ts"

// commit-queue.ts starts this thread
const { file, nowMs } = workerData as { readonly file: string; readonly nowMs: number }

runUntilClosed()

function runUntilClosed(): void {
  const opened = orFail(open)
  if (opened === undefined) return // with no listener the thread ends
  const { database, state, runBatch } = opened

  let isBroken = false
  parentPort?.on("message", (message: ToWorker) => {
    if (message.kind === "close") {
      database.close() // rolls back what a failed batch left open
      parentPort?.close()
      return
    }
    if (isBroken) return
    if (message.kind === "copy") {
      void copy(database, message.to)
      return
    }
    const committed = orFail(() => runBatch(message))
    // After an error nobody knows what the disk holds: only a restart, which reads it, mends that.
    if (committed === undefined) isBroken = true
    else tell({ kind: "committed", ...committed })
  })
  tell({ kind: "opened", state })
}

function open() {
  const database = openDatabase(file)
  try {
    return { database, state: readOpenedState(database, nowMs), runBatch: patientRunner(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

/** Pages at a time; commits go on in between. */
const copiedPages = 20

async function copy(database: DatabaseSync, to: string): Promise<void> {
  try {
    await backup(database, to, { rate: copiedPages })
    tell({ kind: "copied", failed: undefined })
  } catch (error) {
    tell({ kind: "copied", failed: error instanceof Error ? error.message : String(error) })
  }
}

type Committed = { readonly results: readonly JobResult[]; readonly head: Head }

/**
 * Where the disk is full, the ledger's spare is given up and the whole batch is run once more, from its
 * beginning and by what the database says: what the failed run kept in memory counts no more.
 */
function patientRunner(database: DatabaseSync): (batch: Batch) => Committed {
  let run = batchRunner(database)
  return (batch) => {
    try {
      return run(batch)
    } catch (error) {
      if (!isFull(error) || !giveUpSpare(file)) throw error
      if (database.isTransaction) database.exec("ROLLBACK")
      run = batchRunner(database)
      return run(batch)
    }
  }
}

function batchRunner(database: DatabaseSync): (batch: Batch) => Committed {
  const journal = openJournal(database)
  const run = jobRunner(database, journal)
  const keepClock = clockKeeper(database)
  return ({ jobs, clock }) => {
    database.exec("BEGIN IMMEDIATE")
    const results = jobs.map(run)
    if (clock !== undefined) keepClock(clock)
    commitStage("written")
    database.exec("COMMIT")
    commitStage("committed")
    return { results, head: journal.head() }
  }
}

function jobRunner(database: DatabaseSync, journal: Journal): (job: Job) => JobResult {
  const writeRow = openProjections(database, journal)
  const findRecord = recordFinder(database)
  const findKey = keyFinder(database)
  const searchRecords = recordSearcher(database)
  const findPage = historyPager(database)
  const findShadows = shadowPager(database)
  const runMeters = meterRunner(database, journal)
  const writeProbe = prober(database)
  const runAudit = auditRunner(database, journal, writeRow)
  return (job) => {
    if (isAuditJob(job)) return runAudit(job)
    if (isMeterJob(job)) return runMeters(job)
    switch (job.kind) {
      case "write":
        return writeRow(job.row)
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

/** Tells the vault what failed and returns `undefined`. */
function orFail<Value>(attempt: () => Value): Value | undefined {
  try {
    return attempt()
  } catch (error) {
    const { code, message } = faultOf(error, file)
    tell({ kind: "failed", code, message })
    return undefined
  }
}

function tell(message: FromWorker): void {
  parentPort?.postMessage(message)
}
