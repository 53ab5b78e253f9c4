// The thread that owns the database, so that no fsync ever holds the event loop of the vault.

import type { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

import { openDatabase } from "./database.ts"
import { openJournal } from "./journal.ts"
import { readOpenedState } from "./opened-state.ts"
import { openProjections } from "./projections.ts"
import { faultOf } from "./sqlite-fault.ts"
import { countingStartFinder, historyPager, recordFinder, shadowPager } from "./stored-rows.ts"
import { readSet, readSets } from "./stored-sets.ts"
import type { FromWorker, Job, JobResult, ToWorker } from "./worker-messages.ts"

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
    const results = orFail(() => runBatch(message.jobs))
    // After an error nobody knows what the disk holds: only a restart, which reads it, mends that.
    if (results === undefined) isBroken = true
    else tell({ kind: "committed", results })
  })
  tell({ kind: "opened", state })
}

function open() {
  const database = openDatabase(file)
  try {
    return { database, state: readOpenedState(database, nowMs), runBatch: batchRunner(database) }
  } catch (error) {
    database.close()
    throw error
  }
}

function batchRunner(database: DatabaseSync): (jobs: readonly Job[]) => readonly JobResult[] {
  const journal = openJournal(database)
  const writeRow = openProjections(database, journal)
  const findRecord = recordFinder(database)
  const findPage = historyPager(database)
  const findShadows = shadowPager(database)
  const findStart = countingStartFinder(database)
  const run = (job: Job): JobResult => {
    switch (job.kind) {
      case "write":
        return writeRow(job.row)
      case "find":
        return findRecord(job.id)
      case "count":
        return journal.length()
      case "history":
        return findPage(job.after, job.lastSeq)
      case "shadows":
        return findShadows(job.after)
      case "counting_start":
        return findStart(job.sinceMs)
      case "set":
        return readSet(database, job.hash)
      case "sets":
        return readSets(database)
    }
  }
  return (jobs) => {
    database.exec("BEGIN IMMEDIATE")
    const results = jobs.map(run)
    database.exec("COMMIT")
    return results
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
