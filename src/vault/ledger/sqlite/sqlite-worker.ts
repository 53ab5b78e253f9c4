// The thread that owns the database, so that no fsync ever holds the event loop of the vault.

import type { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

import { commitStages } from "../../process/stages.ts"
import type { Head } from "../store/store.ts"
import { auditQueries } from "./audit-runner.ts"
import { openDatabase } from "./database.ts"
import { clockKeeper, openJournal, type Journal, readTrail } from "./journal.ts"
import { readOpenedState, readSet } from "./opened-state.ts"
import { followRows, openProjections, type Projections } from "./projections.ts"
import { readRecentRefusals } from "./stored-rows.ts"
import { giveUpSpare } from "./spare-space.ts"
import { faultOf, isFull } from "./sqlite-fault.ts"
import { keyFinder, recordSearcher } from "./stored-rows.ts"
import { historyPager, recordFinder } from "./stored-rows.ts"
import { meterQueries } from "./stored-tail.ts"
import type { Batch, FromWorker, ThreadAsk, ThreadQueries, ToWorker } from "./worker-messages.ts"

// open-sqlite-store.ts starts this thread
const { file, nowMs, isReplicated } = workerData as ThreadAsk

/** How many requests may trail, and for how long. To catch up with them is a few milliseconds' work; after each, it would be a second commit. */
const maxTrailing = 128
const maxTrailingMs = 2_000
const catchUpBatch: Batch = {
  jobs: [{ kind: "query", name: "catchUp", args: [] }],
  clock: undefined,
}

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
      case "close":
        commit.stop()
        database.close() // rolls back what a failed batch left open
        parentPort?.close()
    }
  })
  tell({ kind: "opened", state })
}

/** Runs batches and tells of them. What trails catches up soon after, with a commit that nobody waits for. */
function committer({ prepare, commit }: ReturnType<typeof patientRunner>) {
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
    if (!isAskedElsewhere(committed)) tell({ kind: "committed", results, head })
    if (trailing >= maxTrailing) catchUp()
    else if (trailing > 0) catchingUp ??= setTimeout(catchUp, maxTrailingMs)
  }
  return {
    run(batch: Batch): void {
      held = attempt(() => prepare(batch))
      if (held === undefined) return
      const { rows, results, head } = held
      if (isAskedElsewhere(held)) tell({ kind: "appended", rows, results, head })
      else finish(held)
    },
    replicated(): void {
      commitStages.publish({ stage: "replicated" })
      if (held !== undefined) finish(held)
    },
    stop,
  }
}

/** What is durable there counts, whatever comes of it here. */
function isAskedElsewhere({ rows }: Prepared): boolean {
  return isReplicated && rows.length > 0
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
    const batches = patientRunner(database)
    if (readTrail(database).length > 0) batches.commit(batches.prepare(catchUpBatch))
    return { database, state: readOpenedState(database, nowMs), batches }
  } catch (error) {
    database.close()
    throw error
  }
}

/** A batch that is written, in a transaction that is still open. */
type Prepared = {
  readonly batch: Batch
  readonly results: readonly unknown[]
  /** What it appended. */
  readonly rows: readonly string[]
  readonly head: Head
  /** How many requests the tables don't have yet. */
  readonly trailing: number
}

/**
 * Where the disk is full, the ledger's spare is given up and the whole batch is run once more, from its
 * beginning and by what the database says: what the failed run kept in memory counts no more.
 */
function patientRunner(database: DatabaseSync) {
  let prepare = batchPreparer(database)
  const end = database.prepare("COMMIT")
  const commit = (prepared: Prepared): Prepared => {
    end.run()
    commitStages.publish({ stage: "committed" })
    return prepared
  }
  const startAgain = (error: unknown): void => {
    if (!isFull(error) || !giveUpSpare(file)) throw error
    if (database.isTransaction) database.exec("ROLLBACK")
    prepare = batchPreparer(database)
  }
  return {
    /** Writes it in a transaction, which stays open. */
    prepare: (batch: Batch): Prepared => {
      try {
        return prepare(batch)
      } catch (error) {
        startAgain(error)
        return prepare(batch)
      }
    },
    commit: (prepared: Prepared): Prepared => {
      try {
        return commit(prepared)
      } catch (error) {
        startAgain(error)
        const again = prepare(prepared.batch)
        // What is durable elsewhere is that, and nothing else.
        if (Buffer.compare(again.head.hash, prepared.head.hash) !== 0) throw error
        return commit(again)
      }
    },
  }
}

function batchPreparer(database: DatabaseSync): (batch: Batch) => Prepared {
  const journal = openJournal(database)
  const tables = openProjections(database, journal)
  const queries = prepareQueries(database, journal, tables)
  const keepClock = clockKeeper(database)
  const begin = database.prepare("BEGIN IMMEDIATE")
  return (batch) => {
    begin.run()
    const results = batch.jobs.map((job) => {
      if (job.kind === "write") return tables.write(job.row)
      if (job.kind === "follow") return followRows(job, { journal, tables })
      tables.catchUp()
      // Whoever asks by the types of ThreadQueries gives each query what it takes.
      const query = queries[job.name] as (...args: readonly unknown[]) => unknown
      return query(...job.args)
    })
    if (batch.clock !== undefined) keepClock(batch.clock)
    commitStages.publish({ stage: "written" })
    const [rows, head] = [journal.appended(), journal.head()]
    return { batch, results, rows, head, trailing: tables.trailing() }
  }
}

function prepareQueries(
  database: DatabaseSync,
  journal: Journal,
  tables: Projections,
): ThreadQueries {
  return {
    ...auditQueries(database, journal, (row) => tables.write(row)),
    ...meterQueries(database, journal),
    find: recordFinder(database),
    findKey: keyFinder(database),
    search: recordSearcher(database),
    count: () => journal.length(),
    history: historyPager(database),
    set: (hash) => readSet(database, hash),
    recentRefusals: (limit) => readRecentRefusals(database, limit),
    probe: prober(database),
    catchUp: () => undefined, // done before every query
  }
}

/** Prepares writing the row that shows that the ledger can be written. Within the open transaction. */
function prober(database: DatabaseSync): (nowMs: number) => void {
  const write = database.prepare(
    `INSERT INTO probe (one, at_ms) VALUES (1, ?)
     ON CONFLICT (one) DO UPDATE SET at_ms = excluded.at_ms`,
  )
  return (nowMs) => void write.run(nowMs)
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
