import { mayTakeOne } from "./may-take-one.ts"
import type { RefusalEntry } from "./records/entries.ts"
import { type RecordId, makeRecordId } from "./records/record-id.ts"
import type { RowCounts } from "./row-counts.ts"
import type { RefusalRow, RowsOf } from "./records/row.ts"

/** Identical refusals that come within this time are one record. */
const repeatWindowMs = 1_000
/** How many refusals may wait to be written, and how many different ones are recorded a second, of all clients; each has its rows besides. */
export const maxRefusals = 1_000

/** What came since `startMs` and looked the same. */
type Window = {
  readonly client: string
  readonly record: RecordId
  readonly startMs: number
  lastMs: number
  repeats: number
}

type NoteRow = RowsOf["refusal" | "repeats" | "omitted"]

/**
 * Records refusals without making anybody wait; what is too much is only counted. Owns a timer, which `flush` ends.
 *
 * The first of a kind is queued at once. Its repeats are a count in memory for a second at most, so a
 * crash can lose that count, never the record.
 */
export class RefusalNotes {
  readonly #append: (row: NoteRow) => Promise<unknown>
  readonly #rows: RowCounts
  readonly #windows = new Map<string, Window>()
  /** Of each client the last one that was too much: it is written once its second is over. */
  readonly #newest = new Map<string, RefusalRow>()
  #timer: NodeJS.Timeout | undefined
  readonly #waiting = new Set<{ readonly client: string }>()
  #omitted = 0
  #omittedAtMs = 0

  constructor(append: (row: NoteRow) => Promise<unknown>, rows: RowCounts) {
    this.#append = append
    this.#rows = rows
  }

  /** The record's id, or `null` when this refusal was only counted. */
  note(entry: RefusalEntry, nowMs: number): RecordId | null {
    this.#timer ??= setTimeout(() => this.flush(), repeatWindowMs).unref()
    const sameness = samenessOf(entry)
    const window = this.#windows.get(sameness)
    if (window !== undefined && isWithin(window, nowMs)) {
      window.repeats += 1
      window.lastMs = nowMs
      return window.record
    }
    if (window !== undefined) {
      this.#queueRepeats(window)
      this.#windows.delete(sameness)
    }
    const record = makeRecordId(nowMs)
    const { client } = entry
    const row: RefusalRow = { kind: "refusal", id: record, at_ms: nowMs, ...entry }
    if (!this.#hasPart(row)) {
      if (this.#newest.has(client)) this.#omitted += 1
      this.#omittedAtMs = nowMs
      this.#newest.set(client, row)
      return null
    }
    this.#windows.set(sameness, { client, record, startMs: nowMs, lastMs: nowMs, repeats: 0 })
    this.#queue(row, client)
    return record
  }

  #hasPart(row: RefusalRow): boolean {
    const all = [this.#waiting, this.#windows.values()]
    const isPart = all.every((taken) => mayTakeOne(row.client, taken, maxRefusals))
    const bytes = Buffer.byteLength(JSON.stringify(row))
    const { client, at_ms: nowMs } = row
    return isPart && this.#rows.take({ client, kind: "refusal", bytes }, nowMs)
  }

  /** Queues the counts that are still in memory. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const window of this.#windows.values()) this.#queueRepeats(window)
    this.#windows.clear()
    for (const [client, row] of this.#newest) this.#queue(row, client)
    this.#newest.clear()
    if (this.#omitted === 0) return
    const atMs = this.#omittedAtMs
    this.#queue({ kind: "omitted", id: makeRecordId(atMs), at_ms: atMs, count: this.#omitted }, "")
    this.#omitted = 0
  }

  #queueRepeats({ client, record, repeats, lastMs }: Window): void {
    if (repeats === 0) return
    const id = makeRecordId(lastMs)
    this.#queue({ kind: "repeats", id, at_ms: lastMs, record, count: repeats }, client)
  }

  #queue(row: NoteRow, client: string): void {
    const waiting = { client }
    this.#waiting.add(waiting)
    // Nobody awaits it: on a broken ledger every other call fails and says so.
    this.#append(row).then(
      () => this.#waiting.delete(waiting),
      () => undefined,
    )
  }
}

function samenessOf({ client, key, operation, policy_hash, refusal }: RefusalEntry): string {
  return JSON.stringify([client, key, operation, policy_hash, refusal.code, refusal.message])
}

/** A clock that was set back begins a new window. */
function isWithin({ startMs }: Window, nowMs: number): boolean {
  return nowMs >= startMs && nowMs - startMs < repeatWindowMs
}
