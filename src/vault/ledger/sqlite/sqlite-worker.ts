// The thread that owns the database, so that no fsync ever holds the event loop of the vault.

import type { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

import { patientRunner, type BatchRunner, type Prepared } from "./batches.ts"
import { copyDatabase, openDatabase } from "./database.ts"
import { readTrail } from "./journal.ts"
import { readOpenedState } from "./opened-state.ts"
import { faultOf } from "./sqlite-fault.ts"
import type { Batch, FromWorker, ThreadAsk, ToWorker } from "./worker-messages.ts"

// commit-queue.ts starts this thread
const { file, nowMs, isReplicated } = workerData as ThreadAsk

/** How many requests may trail, and for how long. To catch up with them is a few milliseconds' work. */
const maxTrailing = 128
const maxTrailingMs = 50
const catchUpBatch: Batch = { jobs: [{ kind: "catch_up" }], clock: undefined }

runUntilClosed()

function runUntilClosed(): void {
  const opened = orFail(open)
  if (opened === undefined) return // with no listener the thread ends
  const { database, state, batches } = opened

  const commit = committer(batches)
  parentPort?.on("message", (message: ToWorker) => {
    switch (message.kind) {
      case "batch":
        commit.run(message)
        break
      case "replicated":
        commit.replicated()
        break
      case "copy":
        void copy(database, message.to)
        break
      case "close":
        commit.stop()
        database.close() // rolls back what a failed batch left open
        parentPort?.close()
    }
  })
  tell({ kind: "opened", state })
}

/** Runs batches and tells of them. What trails catches up soon after, with a commit that nobody waits for. */
function committer({ prepare, commit }: BatchRunner) {
  const attempt = untilBroken()
  let held: Prepared | undefined
  let catchingUp: NodeJS.Timeout | undefined
  const stop = (): void => {
    clearTimeout(catchingUp)
    catchingUp = undefined
  }
  const catchUp = (): void => {
    stop()
    // A batch that is held says itself what trails.
    if (held === undefined) attempt(() => commit(prepare(catchUpBatch)))
  }
  const finish = (prepared: Prepared): void => {
    held = undefined
    const committed = attempt(() => commit(prepared))
    if (committed === undefined) return
    const { results, head, trailing } = committed
    tell({ kind: "committed", results, head })
    if (trailing >= maxTrailing) catchUp()
    else if (trailing > 0) catchingUp ??= setTimeout(catchUp, maxTrailingMs)
  }
  return {
    run(batch: Batch): void {
      held = attempt(() => prepare(batch))
      if (held === undefined) return
      const { rows, head } = held
      if (isReplicated && rows.length > 0) tell({ kind: "appended", rows, head })
      else finish(held)
    },
    replicated(): void {
      if (held !== undefined) finish(held)
    },
    stop,
  }
}

/** Does each step and tells the vault of the first that fails: after that none is done. */
function untilBroken() {
  let isBroken = false
  return <Value>(step: () => Value): Value | undefined => {
    if (isBroken) return undefined
    const done = orFail(step)
    // Nobody knows what the disk holds: only a restart, which reads it, mends that.
    if (done === undefined) isBroken = true
    return done
  }
}

function open() {
  const database = openDatabase(file)
  try {
    // Where the last entries are durable elsewhere, a power loss may take them here: a start replays them.
    if (isReplicated) database.exec("PRAGMA synchronous = NORMAL")
    const batches = patientRunner(database, file)
    if (readTrail(database).length > 0) batches.commit(batches.prepare(catchUpBatch))
    return { database, state: readOpenedState(database, nowMs), batches }
  } catch (error) {
    database.close()
    throw error
  }
}

async function copy(database: DatabaseSync, to: string): Promise<void> {
  try {
    await copyDatabase(database, to)
    tell({ kind: "copied", failed: undefined })
  } catch (error) {
    tell({ kind: "copied", failed: error instanceof Error ? error.message : String(error) })
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
