import type { Worker } from "node:worker_threads"

import type { Commits } from "../../../contract/facts.ts"
import { Fault } from "../../../std/fault.ts"
import { entryBounds, openHistogram, workBoundsSeconds } from "../../../std/histogram.ts"
import type { ClockReading } from "../../process/clock.ts"
import { nameOf, type IdempotencyKey } from "../records/idempotency.ts"
import { type NonceShare, turnNonces } from "../records/nonce-share.ts"
import type { JournalRow } from "../records/row.ts"
import type { SnapshotStep } from "../store/meter-queries.ts"
import type {
  AppendedRows,
  Head,
  LedgerStore,
  Replica,
  StoreTurn,
  Written,
} from "../store/store.ts"
import type {
  Done,
  FollowedRows,
  FromWorker,
  Job,
  ThreadQueries,
  ToWorker,
} from "./worker-messages.ts"

type Waiting = {
  readonly job: Job
  readonly resolve: (result: unknown) => void
  readonly reject: (fault: Fault) => void
}

/** The database's thread, and where else what it commits is kept. */
type Thread = {
  readonly worker: Worker
  readonly ended: Promise<void>
  readonly replica: Replica | undefined
}

/** Owns the thread, and must be closed. */
export class CommitQueue implements LedgerStore {
  readonly broken: Promise<Fault>
  readonly commits = timeCommits()
  readonly #tellBroken: (fault: Fault) => void
  readonly #worker: Worker
  readonly #ended: Promise<void>
  readonly replica: Replica | undefined
  readonly nonces: NonceShare | undefined
  #gathering: Waiting[] = []
  #atWork: readonly Waiting[] = []
  #isScheduled = false
  /** Whether the thread holds a batch that is durable elsewhere by now. */
  #isHeld = false
  /** Until a batch is on its way elsewhere: what is made of a turn can wait for that, the batch is waited for. */
  #sending: Promise<void> | undefined
  #tellSent = (): void => undefined
  #fault: Fault | undefined
  #closing: Promise<"whole" | "broken"> | undefined
  #head: Head
  #readClock: () => ClockReading | undefined = () => undefined

  constructor({ worker, ended, replica }: Thread, head: Head) {
    this.#worker = worker
    this.#ended = ended
    this.replica = replica
    // Even of one host alone: another may be isolated that shared the ledger until a moment ago.
    this.nonces = replica && turnNonces
    this.#head = head
    const { promise, resolve } = Promise.withResolvers<Fault>()
    this.broken = promise
    this.#tellBroken = resolve
    worker.on("message", (message: FromWorker) => this.#receive(message))
    worker.on("messageerror", (error) => this.break(threadFault(error)))
    worker.on("error", (error) => this.break(threadFault(error)))
    worker.on("exit", () => this.break(threadFault()))
    void replica?.ended.then((fault) => this.break(fault))
  }

  async turn<Out>(
    keys: readonly IdempotencyKey[],
    step: (turn: StoreTurn) => Out | Promise<Out>,
  ): Promise<Out> {
    this.assertOpen()
    const turn = keys.length === 0 ? { found: () => undefined } : await this.#lookUp(keys)
    const out = await step(turn)
    await this.#sending
    return out
  }

  async #lookUp(keys: readonly IdempotencyKey[]): Promise<StoreTurn> {
    const looked = keys.map(async (key) => [nameOf(key), await this.run("findKey", key)] as const)
    const found = new Map(await Promise.all(looked))
    return { found: (key) => found.get(nameOf(key)) }
  }

  append(row: JournalRow): Promise<Written> {
    return this.#do({ kind: "write", row }) as Promise<Written>
  }

  /** Adds entries that are durable elsewhere, after all others. */
  follow(entries: FollowedRows): Promise<readonly Written[]> {
    return this.#do({ kind: "follow", ...entries }) as Promise<readonly Written[]>
  }

  run<Name extends keyof ThreadQueries>(
    name: Name,
    ...args: Parameters<ThreadQueries[Name]>
  ): Promise<ReturnType<ThreadQueries[Name]>> {
    return this.#do({ kind: "query", name, args }) as Promise<ReturnType<ThreadQueries[Name]>>
  }

  /** Resolves with what the thread answers to a job of this kind. */
  async #do(job: Job): Promise<unknown> {
    this.assertOpen()
    const result = new Promise<unknown>((resolve, reject) => {
      this.#gathering.push({ job, resolve, reject })
    })
    this.#schedule()
    return result
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

  close(lastSteps: () => readonly SnapshotStep[] = () => []): Promise<"whole" | "broken"> {
    return (this.#closing ??= this.#drainAndEnd(lastSteps))
  }

  /** After the current turn's microtasks, so that calls made together share a commit. */
  #schedule(): void {
    if (this.#isScheduled || this.#atWork.length > 0) return
    this.#isScheduled = true
    if (this.replica) this.#sending = new Promise((tell) => (this.#tellSent = tell))
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#startBatch()
    })
  }

  #startBatch(): void {
    if (this.#gathering.length === 0 || this.#atWork.length > 0) return
    this.#atWork = this.#gathering
    this.#gathering = []
    this.commits.begin()
    this.#release()
    try {
      const jobs = this.#atWork.map(({ job }) => job)
      const clock = jobs.some(writes) ? this.#readClock() : undefined
      this.#tell({ kind: "batch", jobs, clock })
    } catch (error) {
      this.break(threadFault(error))
    }
  }

  #receive(message: FromWorker): void {
    if (this.replica) setImmediate(this.#tellSent) // once what it says is acted upon
    switch (message.kind) {
      case "appended":
        void this.#keepElsewhere(message)
        break
      case "committed":
        this.#finish(message)
        break
      case "failed":
        this.break(new Fault("ledger_unavailable", message.message))
        break
      case "opened":
        break // once, before the queue
    }
  }

  #finish({ head, results }: Done): void {
    const done = this.#atWork
    this.#atWork = []
    this.#head = head
    this.commits.end(done.filter(({ job }) => job.kind === "write").length)
    this.#startBatch()
    for (const [index, { resolve }] of done.entries()) resolve(results[index])
  }

  /** What is durable there is done: a start replays what is lost here. */
  async #keepElsewhere(appended: AppendedRows & Done): Promise<void> {
    try {
      await this.replica?.append(appended)
      this.#isHeld = true
      setImmediate(() => this.#release())
      this.#finish(appended)
    } catch (error) {
      this.break(error)
    }
  }

  /** Has the thread commit what it holds: before its next batch, and after those who wait are answered. */
  #release(): void {
    if (this.#isHeld) this.#tell({ kind: "replicated" })
    this.#isHeld = false
  }

  /** Ends it: nothing of what waits counts. */
  break(error: unknown): void {
    this.#fault ??= error instanceof Fault ? error : threadFault(error)
    const waiting = [...this.#atWork, ...this.#gathering]
    this.#atWork = []
    this.#gathering = []
    for (const { reject } of waiting) reject(this.#fault)
    this.#tellSent()
    if (this.#closing === undefined) this.#tellBroken(this.#fault)
  }

  async #drainAndEnd(lastSteps: () => readonly SnapshotStep[]): Promise<"whole" | "broken"> {
    for (const step of lastSteps()) this.run("takeSnapshot", step).catch(() => undefined)
    // Jobs run in order, so the last one's end is the end of all. On a broken ledger nothing waits.
    const counted = await this.run("count").catch(() => undefined)
    this.#release()
    this.#tell({ kind: "close" })
    await this.#ended
    await this.replica?.close()
    return counted === undefined ? "broken" : "whole"
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message)
  }
}

function writes(job: Job): boolean {
  return job.kind === "write" || (job.kind === "query" && job.name === "probe")
}

export function threadFault(cause?: unknown): Fault {
  const message = "The ledger's thread has ended; see the log, then restart Countersign."
  return new Fault("ledger_unavailable", message, { cause })
}

export function closedFault(): Fault {
  return new Fault("ledger_unavailable", "The ledger is closed; start Countersign again.")
}

/** How long the ledger's commits take, and how much each carries. Starts with nothing timed. */
function timeCommits() {
  const seconds = openHistogram(workBoundsSeconds)
  const entries = openHistogram(entryBounds)
  let startedMs: number | undefined
  const waited = (): number =>
    startedMs === undefined ? 0 : (performance.now() - startedMs) / 1_000
  return {
    /** A batch is handed over. */
    begin: () => void (startedMs = performance.now()),
    /** It is durable, with so many entries. One with none isn't counted. */
    end(written: number): void {
      if (written > 0) {
        seconds.observe(waited())
        entries.observe(written)
      }
      startedMs = undefined
    },
    read: (): Commits => ({ seconds: seconds.read(), entries: entries.read(), waited: waited() }),
  }
}
