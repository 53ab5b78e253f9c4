import { storedKey, type IdempotencyKey } from "../../../src/vault/ledger/records/idempotency.ts"
import { hear, type Heard } from "../../../src/vault/ledger/records/record-state.ts"
import type { JournalRow, OutcomeRow, RequestRow } from "../../../src/vault/ledger/records/row.ts"
import type { HistoryRow } from "../../../src/vault/ledger/store/meter-queries.ts"
import type {
  FoundCheck,
  FoundKey,
  FoundRecord,
  Head,
  OpenedState,
  Written,
} from "../../../src/vault/ledger/store/store.ts"
import { beginning, type Entry } from "./disk.ts"
import { Standing } from "./standing.ts"

/** A request and what became of it. */
type Stored = FoundKey & {
  readonly seq: number
  readonly released: HistoryRow["released"]
}

/** What follows from the rows, folded one by one: what a database has in its tables. */
export class Tables {
  readonly entries: Entry[] = []
  readonly #requests = new Map<string, Stored>()
  readonly #records = new Map<string, string>()
  readonly #checks = new Map<string, FoundCheck>()
  readonly #standing = new Standing()
  readonly #ever = new Map<string, string>()

  head(): Head {
    return this.entries.at(-1) ?? beginning
  }

  /** Adds an entry. An outcome of a request that isn't here must not come. */
  add(entry: Entry): Written {
    this.entries.push(entry)
    const { row, seq } = entry
    if (row.kind === "request") this.#addRequest(row, seq)
    if (row.kind === "shadow") this.#checks.set(row.id, { row })
    if (row.kind === "act") this.#standing.follow(row)
    const released = row.kind === "outcome" ? this.#hear(row, seq) : undefined
    return { kind: "written", released }
  }

  has(record: string): boolean {
    return this.#requests.has(record)
  }

  find(id: string): FoundRecord | undefined {
    return this.#requests.get(id)
  }

  findKey({ client, ...key }: IdempotencyKey): FoundKey | FoundCheck | undefined {
    const used = this.#requests.get(this.#records.get(nameOf(client, key)) ?? "")
    return used ?? (key.by === "check" ? this.#checks.get(key.key) : undefined)
  }

  /** Requests in the order of counting, and of their entries. */
  requests(): readonly HistoryRow[] {
    return [...this.#requests.values()].sort(
      (one, other) => countedAt(one.row) - countedAt(other.row) || one.seq - other.seq,
    )
  }

  opened(clock: OpenedState["identity"]["clock"]): OpenedState {
    const { ledger, ...standing } = this.#standing.opened()
    const ever = [...this.#ever].map(([meter, used]) => ({ meter, used }))
    return { identity: { ledger, head: this.head(), clock }, ever, ...standing }
  }

  #addRequest(row: RequestRow, seq: number): void {
    const heard = { heard: null, status: null, code: null, sends: 0, answered: undefined }
    this.#requests.set(row.id, { row, seq, ...heard, released: undefined })
    if (row.idempotency !== undefined) {
      this.#records.set(nameOf(row.client, row.idempotency), row.id)
    }
    this.#standing.use(row)
    for (const [meter, used] of Object.entries(row.ever ?? {})) this.#ever.set(meter, used)
  }

  #hear(row: OutcomeRow, seq: number): RequestRow | undefined {
    const before = this.#requests.get(row.record)
    if (before === undefined) throw new Error("an outcome of no request")
    const after = withdrawn(afterOutcome(before, row), row)
    const gives = before.heard === "sent" && after.heard === "refused" && before.sends === 1
    const isReleased = gives && before.row.refunds !== undefined
    const released = { atMs: row.counted_at ?? row.at_ms, seq }
    this.#requests.set(row.record, isReleased ? { ...after, released } : after)
    return isReleased ? before.row : undefined
  }
}

/** As docs/ledger-schema.md has it: a refusal of bytes that were sent before says nothing of that. */
function afterOutcome(before: Stored, row: OutcomeRow): Stored {
  const { status, code, outcome } = row
  const isOfRepeat = outcome === "refused" && (row.again === true || before.sends > 1)
  const heard = hear(before.heard, isOfRepeat ? "unknown" : outcome)
  const sends = before.sends + (outcome === "sent" ? 1 : 0)
  if (heard === before.heard) return { ...before, sends }
  const answered = isFinal(heard) && row.answer !== undefined ? row : undefined
  return { ...before, heard, sends, status, code, answered }
}

function isFinal(heard: Heard): boolean {
  return heard === "accepted" || heard === "refused"
}

/** The one send that was told didn't happen. */
function withdrawn(stored: Stored, row: OutcomeRow): Stored {
  const isOnly = stored.heard === "sent" && stored.sends === 1
  if (row.withdrawn !== true || !isOnly) return stored
  return { ...stored, heard: "unsent", sends: 0, status: row.status, code: row.code }
}

export function countedAt(row: RequestRow): number {
  return row.counted_at ?? row.at_ms
}

function nameOf(client: string, key: Pick<IdempotencyKey, "by" | "key">): string {
  return JSON.stringify([client, storedKey(key)])
}

/** A row as the journal keeps it, after `earlier` ones: files are kept once. */
export function shortened(row: JournalRow, earlier: readonly Entry[]): JournalRow {
  if (row.kind !== "act" || row.act !== "set_activated") return row
  const isKnown = earlier.some(({ row: each }) => "hash" in each && each.hash === row.hash)
  const { kind, id, at_ms, act, hash } = row
  return isKnown ? { kind, id, at_ms, act, hash } : row
}
