import { isDeepStrictEqual } from "node:util"

import { Fault } from "../../../src/std/fault.ts"
import type { IdempotencyKey } from "../../../src/vault/ledger/records/idempotency.ts"
import type { JournalRow } from "../../../src/vault/ledger/records/row.ts"
import type { SnapshotStep } from "../../../src/vault/ledger/store/meter-queries.ts"
import type {
  LedgerStore,
  OpenedState,
  Queries,
  RunQuery,
  StoreTurn,
  Written,
} from "../../../src/vault/ledger/store/store.ts"
import type { ClockReading } from "../../../src/vault/process/clock.ts"
import {
  chained,
  type Commit,
  type Disk,
  type Entry,
  type SnapshotStepAt,
  type Torn,
} from "./disk.ts"
import { KeptSnapshot } from "./kept-snapshot.ts"
import { type Asked, runQuery } from "./run-query.ts"
import { shortened, Tables } from "./tables.ts"

/** What waits in the order in which it was asked for. */
type Waiting = {
  readonly work:
    | { readonly kind: "append"; readonly row: JournalRow }
    | ({ readonly kind: "query" } & Asked)
    | {
        readonly kind: "turn"
        readonly keys: readonly IdempotencyKey[]
        readonly step: (turn: StoreTurn) => unknown
      }
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** What is done, as far as the disk is concerned, and not yet told. */
type Done = Waiting & { readonly result: unknown }

/**
 * An engine of the ledger that keeps everything in memory, over a disk that the simulation owns. Nothing becomes
 * durable and nobody is told of it but when the simulation says so: `commit`, then `tell`.
 */
export class MemoryStore implements LedgerStore {
  readonly broken: Promise<Fault>
  readonly commits = {
    read: () => ({ seconds: { counts: [], sum: 0 }, entries: { counts: [], sum: 0 }, waited: 0 }),
  }
  readonly tables = new Tables()
  readonly #disk: Disk
  readonly #snapshot = new KeptSnapshot()
  readonly #tellBroken: (fault: Fault) => void
  #waiting: Waiting[] = []
  #done: Done[] = []
  #fault: Fault | undefined
  #readClock: () => ClockReading | undefined = () => undefined
  #clock: ClockReading | undefined
  #isClosed = false

  constructor(disk: Disk) {
    this.#disk = disk
    const { promise, resolve } = Promise.withResolvers<Fault>()
    this.broken = promise
    this.#tellBroken = resolve
    for (const { entries, clock, steps } of disk.read()) {
      for (const entry of entries) this.tables.add(entry)
      for (const { step, seq } of steps) this.#snapshot.take(step, seq)
      this.#clock = clock ?? this.#clock
    }
  }

  state(): OpenedState {
    return this.tables.opened(this.#clock)
  }

  assertOpen(): void {
    if (this.#fault !== undefined) throw this.#fault
    if (this.#isClosed) throw new Fault("ledger_unavailable", "The ledger is closed.")
  }

  async turn<Out>(
    keys: readonly IdempotencyKey[],
    step: (turn: StoreTurn) => Out | Promise<Out>,
  ): Promise<Out> {
    this.assertOpen()
    if (keys.length === 0) return step({ found: () => undefined })
    return (await this.#ask({ kind: "turn", keys, step })) as Out
  }

  async append(row: JournalRow): Promise<Written> {
    this.assertOpen()
    return (await this.#ask({ kind: "append", row })) as Written
  }

  run: RunQuery = async (name, ...args) => {
    this.assertOpen()
    return (await this.#ask({ kind: "query", name, args })) as ReturnType<Queries[typeof name]>
  }

  head() {
    return this.tables.head()
  }

  keepClock(read: () => ClockReading | undefined): void {
    this.#readClock = read
  }

  async close(lastSteps: () => readonly SnapshotStep[] = () => []): Promise<"whole" | "broken"> {
    if (this.#fault !== undefined || this.#isClosed) return "broken"
    const steps = lastSteps().map((step) => this.run("takeSnapshot", step))
    const counted = this.run("count")
    this.#isClosed = true
    return Promise.all([...steps, counted]).then(
      () => "whole",
      () => "broken",
    )
  }

  /** Rows that were appended and aren't durable. */
  get queued(): readonly JournalRow[] {
    return this.#waiting.flatMap(({ work }) => (work.kind === "append" ? [work.row] : []))
  }

  get isBroken(): boolean {
    return this.#fault !== undefined
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#done.length === 0
  }

  /** Makes durable what was asked first, at most `most` of it. */
  commit(most: number): void {
    const commit = this.#prepare(this.#waiting.splice(0, most))
    if (commit.entries.length > 0 || commit.steps.length > 0) this.#disk.write(commit)
  }

  /** Tells those who asked that it is done. A turn goes by what was durable when it was reached. */
  tell(): void {
    for (const { work, resolve, reject, result } of this.#done.splice(0)) {
      if (work.kind !== "turn") resolve(result)
      else
        Promise.try(work.step, {
          found: foundIn(work.keys, result as readonly ReturnType<StoreTurn["found"]>[]),
        }).then(resolve, reject)
    }
  }

  /** The disk takes no more. Nobody knows then how much of the last write it has. */
  fill(torn: Torn): void {
    this.#disk.tear(this.#prepare(this.#waiting.slice()), torn)
    this.#fault = new Fault("ledger_unavailable", "The disk is full.")
    for (const { reject } of [...this.#done.splice(0), ...this.#waiting.splice(0)])
      reject(this.#fault)
    this.#tellBroken(this.#fault)
  }

  /** The power goes: of what waits `torn` reaches the disk, and nobody is told. */
  crash(torn: Torn): void {
    this.#disk.tear(this.#prepare(this.#waiting.splice(0)), torn)
    this.#done = []
  }

  #ask(work: Waiting["work"]): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.push({ work, resolve, reject }))
  }

  /** Does what was asked, in its order, and says what of it the disk must hold. */
  #prepare(asked: readonly Waiting[]): Commit {
    const entries: Entry[] = []
    const steps: SnapshotStepAt[] = []
    for (const each of asked) {
      const { work } = each
      if (work.kind === "query" && work.name === "takeSnapshot") {
        steps.push({ step: work.args[0] as SnapshotStep, seq: this.tables.head().seq })
      }
      this.#done.push({ ...each, result: this.#do(work, entries) })
    }
    if (entries.length > 0) this.#clock = this.#readClock() ?? this.#clock
    return { entries, clock: this.#clock, steps }
  }

  #do(work: Waiting["work"], entries: Entry[]): unknown {
    if (work.kind === "turn") return work.keys.map((key) => this.tables.findKey(key))
    if (work.kind === "query") {
      return runQuery(work, { tables: this.tables, snapshot: this.#snapshot })
    }
    const { row } = work
    if (row.kind === "outcome" && !this.tables.has(row.record)) return { kind: "unknown_request" }
    const entry = chained(shortened(row, this.tables.entries), this.tables.head())
    entries.push(entry)
    return this.tables.add(entry)
  }
}

function foundIn(
  keys: readonly IdempotencyKey[],
  found: readonly ReturnType<StoreTurn["found"]>[],
): StoreTurn["found"] {
  return (key) => found[keys.findIndex((each) => isDeepStrictEqual(each, key))]
}
