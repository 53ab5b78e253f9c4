import { once } from "node:events"
import { Worker } from "node:worker_threads"

import { Fault } from "../../../std/fault.ts"
import { programFile } from "../../../std/program-files.ts"
import type { ClockReading } from "../../process/clock.ts"
import { nameOf, type IdempotencyKey } from "../records/idempotency.ts"
import type { JournalRow } from "../records/row.ts"
import { timeCommits } from "../store/commit-times.ts"
import type {
  AppendedRows,
  Head,
  LedgerStore,
  OpenedState,
  Replicate,
  StoreJob,
  StoreResults,
  StoreTurn,
  Written,
} from "../store/store.ts"
import type {
  FromWorker,
  Job,
  JobResult,
  JobResults,
  ThreadAsk,
  ToWorker,
} from "./worker-messages.ts"

/** A turn that asked for no key. */
const keyless: StoreTurn = { found: () => undefined }

/**
 * Starts the database's thread on `file` and reads what a start at `nowMs` needs. With `replicate` an entry is
 * committed once that has it too.
 *
 * @throws {Fault} as `openDatabase` does.
 */
export async function openSqliteStore(
  file: string,
  nowMs: number,
  replicate?: Replicate,
): Promise<{ readonly store: LedgerStore; readonly state: OpenedState }> {
  const ask: ThreadAsk = { file, nowMs, isReplicated: replicate !== undefined }
  const worker = new Worker(programFile("vault/ledger/sqlite/sqlite-worker"), { workerData: ask })
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()))
  const message = await firstMessage(worker)
  if (message?.kind === "opened") {
    const { head } = message.state.identity
    const store = new CommitQueue({ worker, ended, replicate }, head)
    return { store, state: message.state }
  }
  await ended
  if (message?.kind === "failed") throw new Fault(message.code, message.message)
  throw threadFault()
}

/** `undefined` when the thread ends without a word. */
async function firstMessage(worker: Worker): Promise<FromWorker | undefined> {
  const spoken = once(worker, "message") as Promise<[FromWorker]>
  const silent = once(worker, "exit").then(() => [undefined] as const)
  try {
    const [message] = await Promise.race([spoken, silent])
    return message
  } catch (error) {
    throw threadFault(error)
  }
}

type Waiting = {
  readonly job: Job
  readonly resolve: (result: JobResult) => void
  readonly reject: (fault: Fault) => void
}

type Thread = {
  readonly worker: Worker
  readonly ended: Promise<void>
  readonly replicate: Replicate | undefined
}

/** Owns the thread, and must be closed. */
class CommitQueue implements LedgerStore {
  readonly broken: Promise<Fault>
  readonly commits = timeCommits()
  readonly #tellBroken: (fault: Fault) => void
  readonly #worker: Worker
  readonly #ended: Promise<void>
  readonly #replicate: Replicate | undefined
  #gathering: Waiting[] = []
  #atWork: readonly Waiting[] = []
  #startedMs = 0
  #isScheduled = false
  #fault: Fault | undefined
  #closing: Promise<"whole" | "broken"> | undefined
  #head: Head
  #readClock: () => ClockReading | undefined = () => undefined
  #copying: { readonly done: () => void; readonly failed: (fault: Fault) => void } | undefined

  constructor({ worker, ended, replicate }: Thread, head: Head) {
    this.#worker = worker
    this.#ended = ended
    this.#replicate = replicate
    this.#head = head
    const { promise, resolve } = Promise.withResolvers<Fault>()
    this.broken = promise
    this.#tellBroken = resolve
    worker.on("message", (message: FromWorker) => this.#receive(message))
    worker.on("messageerror", (error) => this.#break(threadFault(error)))
    worker.on("error", (error) => this.#break(threadFault(error)))
    worker.on("exit", () => this.#break(threadFault()))
  }

  async turn<Out>(keys: readonly IdempotencyKey[], step: (turn: StoreTurn) => Out): Promise<Out> {
    this.assertOpen()
    if (keys.length === 0) return step(keyless)
    const looked = keys.map(
      async (key) => [nameOf(key), await this.#do({ kind: "find_key", key })] as const,
    )
    const found = new Map(await Promise.all(looked))
    return step({ found: (key) => found.get(nameOf(key)) })
  }

  append(row: JournalRow): Promise<Written> {
    return this.#do({ kind: "write", row })
  }

  run<Kind extends StoreJob["kind"]>(
    job: Extract<StoreJob, { kind: Kind }>,
  ): Promise<StoreResults[Kind]> {
    return this.#do(job)
  }

  async #do<Kind extends Job["kind"]>(
    job: Extract<Job, { kind: Kind }>,
  ): Promise<JobResults[Kind]> {
    this.assertOpen()
    const result = new Promise<JobResult>((resolve, reject) => {
      this.#gathering.push({ job, resolve, reject })
    })
    this.#schedule()
    return result as Promise<JobResults[Kind]> // the thread answers each job with its own kind's result
  }

  assertOpen(): void {
    if (this.#closing !== undefined) throw closedFault()
    if (this.#fault !== undefined) throw this.#fault
  }

  head(): Head {
    return this.#head
  }

  keepClock(read: () => ClockReading | undefined): void {
    this.#readClock = read
  }

  async copy(to: string): Promise<void> {
    this.assertOpen()
    if (this.#copying !== undefined) throw new Fault("usage", "A backup is being written already.")
    const copied = new Promise<void>((done, failed) => (this.#copying = { done, failed }))
    this.#tell({ kind: "copy", to })
    return copied
  }

  close(lastJobs: () => readonly Job[] = () => []): Promise<"whole" | "broken"> {
    this.#closing ??= this.#drainAndEnd(lastJobs)
    return this.#closing
  }

  /** After the current turn's microtasks, so that calls made together share a commit. */
  #schedule(): void {
    if (this.#isScheduled || this.#atWork.length > 0) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#startBatch()
    })
  }

  #startBatch(): void {
    if (this.#gathering.length === 0 || this.#atWork.length > 0) return
    this.#atWork = this.#gathering
    this.#gathering = []
    this.#startedMs = performance.now()
    try {
      const jobs = this.#atWork.map(({ job }) => job)
      const clock = jobs.some(({ kind }) => kind === "write") ? this.#readClock() : undefined
      this.#tell({ kind: "batch", jobs, clock })
    } catch (error) {
      this.#break(threadFault(error))
    }
  }

  #receive(message: FromWorker): void {
    if (message.kind === "copied") {
      this.#endCopy(message.failed)
      return
    }
    if (message.kind === "appended") {
      void this.#keepElsewhere(message)
      return
    }
    if (message.kind !== "committed") {
      const text = message.kind === "failed" ? message.message : "The ledger's thread lost its way."
      this.#break(new Fault("ledger_unavailable", text))
      return
    }
    const done = this.#atWork
    this.#atWork = []
    this.#head = message.head
    this.commits.note(this.#startedMs, done.filter(({ job }) => job.kind === "write").length)
    this.#startBatch()
    for (const [index, { resolve }] of done.entries()) resolve(message.results[index])
  }

  async #keepElsewhere(appended: AppendedRows): Promise<void> {
    try {
      await this.#replicate?.(appended)
      this.#tell({ kind: "replicated" })
    } catch (error) {
      this.#break(error instanceof Fault ? error : threadFault(error))
    }
  }

  #break(fault: Fault): void {
    this.#fault ??= fault
    const waiting = [...this.#atWork, ...this.#gathering]
    this.#atWork = []
    this.#gathering = []
    for (const { reject } of waiting) reject(this.#fault)
    this.#endCopy(this.#fault.message)
    if (this.#closing === undefined) this.#tellBroken(this.#fault)
  }

  #endCopy(failed: string | undefined): void {
    const copying = this.#copying
    this.#copying = undefined
    if (failed === undefined) copying?.done()
    else copying?.failed(new Fault("ledger_unavailable", `The ledger can't be copied: ${failed}`))
  }

  async #drainAndEnd(lastJobs: () => readonly Job[]): Promise<"whole" | "broken"> {
    for (const job of lastJobs()) this.#do(job).catch(() => undefined)
    // Jobs run in order, so the last one's end is the end of all. On a broken ledger nothing waits.
    const counted = await this.#do({ kind: "count" }).catch(() => undefined)
    this.#tell({ kind: "close" })
    await this.#ended
    return counted === undefined ? "broken" : "whole"
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message)
  }
}

function threadFault(cause?: unknown): Fault {
  const message = "The ledger's thread has ended; see the log, then restart Countersign."
  return new Fault("ledger_unavailable", message, { cause })
}

function closedFault(): Fault {
  return new Fault("ledger_unavailable", "The ledger is closed; start Countersign again.")
}
