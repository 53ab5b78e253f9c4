import { wordsOf } from "../../audit/entry-filter.ts"
import { atOneMoment, type LedgerReader } from "../../audit/open-ledger.ts"
import { entriesAfter, entriesBefore, lastEntries } from "../../audit/read-entries.ts"
import type { StoredEntry } from "../../audit/stored-entry.ts"
import { askedText, symbolsIn } from "../../console/asked-text.ts"
import { maxEntries, type Answer, type Decision } from "../../console/asks.ts"
import { whoRefused } from "../../vault/ledger/records/entries.ts"
import type { HoldView, SymbolsView } from "../../contract/bot-views.ts"
import type { RefusalRow, RequestRow, RowsOf } from "../../vault/ledger/records/row.ts"
import { reasonOf, resultOf } from "../../vault/metrics/vault-metrics.ts"
import { standsFor } from "../../venue/paper-key.ts"
import type { Admin } from "../installation/admin.ts"

type Entries = Answer<"entries">

/** What was decided is told this far back, or for this many entries where those reach further. */
const reachMs = 300_000
const reachEntries = 1_000

/** What was decided after an entry of the ledger, or before one; the newest without either. */
export async function readEntries(
  { call, readLedger }: Pick<Admin, "call" | "readLedger">,
  { after, before }: { readonly after?: number; readonly before?: number },
  nowMs: number,
): Promise<Entries> {
  const { entries, ...read } = await readLedger((ledger) =>
    atOneMoment(ledger, () =>
      after === undefined ? readDown(ledger, before, nowMs) : readUp(ledger, after),
    ),
  )
  const told = entries.filter(isTold)
  const symbols = told.some(isDecision) ? await call("listSymbols", {}) : noSymbols
  const holds = told.some(isHeld) ? await call("listHolds", {}) : []
  return {
    ...read,
    since: entries.at(-1)?.at_ms ?? null,
    decisions: told.filter(isDecision).map((entry) => decisionOf(entry, { symbols, holds })),
    repeats: told.filter((entry) => !isDecision(entry)).map(repeatsOf),
  }
}

const noSymbols = { names: {}, quotes: {}, default_market_order_type: null }

/** The newest first. */
type Read = Pick<Entries, "first" | "last" | "skipped" | "is_end"> & {
  readonly entries: readonly StoredEntry[]
}

/** Where more has come than is read at once, the oldest of it is passed over. */
function readUp(ledger: LedgerReader, after: number): Read {
  const from = Math.max(after, headSeq(ledger) - maxEntries)
  const entries = entriesAfter(ledger, from).take(maxEntries).toArray().reverse()
  const last = entries[0]?.seq ?? from
  return { first: after + 1, last, skipped: from - after, is_end: false, entries }
}

function readDown(ledger: LedgerReader, before: number | undefined, nowMs: number): Read {
  const found = entriesBefore(ledger, before ?? Infinity)
    .take(maxEntries)
    .toArray()
  const leastSeq = headSeq(ledger) - reachEntries
  const entries = found.filter(({ seq, at_ms }) => at_ms > nowMs - reachMs || seq > leastSeq)
  const last = entries[0]?.seq ?? 0
  const isEnd = found.length < maxEntries || entries.length < found.length
  return { first: entries.at(-1)?.seq ?? last + 1, last, skipped: 0, entries, is_end: isEnd }
}

function headSeq(ledger: LedgerReader): number {
  return lastEntries(ledger, 1)[0]?.seq ?? 0
}

function isTold({ kind }: StoredEntry): boolean {
  return ["request", "refusal", "repeats", "omitted"].includes(kind)
}

function repeatsOf({ row }: StoredEntry): Entries["repeats"][number] {
  const { at_ms: at, count, ...of } = JSON.parse(row) as RowsOf["repeats" | "omitted"] // the vault wrote it
  return { at, count, record: of.kind === "repeats" ? of.record : null }
}

/** Whether an entry is of a request that was signed, or of one that was refused. */
function isDecision({ kind }: Pick<StoredEntry, "kind">): boolean {
  return kind === "request" || kind === "refusal"
}

/** The hold that a request got; `undefined` where it got none. */
function holdOf({ refusal }: RefusalRow): string | undefined {
  return refusal.code === "approval_required" ? (refusal.data.hold ?? undefined) : undefined
}

/** Whether an entry is of a request that a person has to release. */
function isHeld({ kind, row }: Pick<StoredEntry, "kind" | "row">): boolean {
  return kind === "refusal" && holdOf(JSON.parse(row) as RefusalRow) !== undefined
}

/** What tells how a body is meant, and what is held. */
type Known = { readonly symbols: SymbolsView; readonly holds: readonly HoldView[] }

/** A decision for people. A request's body is worded, and doesn't go on; a refusal's isn't recorded, but what is held has its own. */
function decisionOf({ seq, row }: StoredEntry, { symbols, holds }: Known): Decision {
  const of = JSON.parse(row) as RequestRow | RefusalRow // the vault wrote it
  const { id: record, at_ms: at, client, key, operation } = of
  const isPaper = key !== null && standsFor(key) !== undefined
  const told = { seq, record, at, client, key, operation, is_paper: isPaper }
  if (of.kind === "refusal") {
    const { refusal } = of
    const body = holds.find(({ id }) => id === holdOf(of))?.body
    const asked =
      body === undefined ? null : askedText({ operation, body: JSON.parse(body) }, symbols)
    return {
      ...told,
      ...{ result: resultOf(refusal), by: whoRefused(refusal), asked },
      symbols: symbolsNamed(refusal.message, symbols),
      ...{ code: refusal.code, reason: reasonOf(refusal), message: refusal.message },
    }
  }
  const body: unknown = JSON.parse(of.body)
  return {
    ...told,
    ...{ result: "allowed", by: of.rule, asked: askedText({ operation, body }, symbols) },
    ...{ symbols: symbolsIn(body, symbols), code: null, reason: null, message: null },
  }
}

/** A refusal is about the symbols that its sentence names. */
function symbolsNamed(message: string, { names }: SymbolsView): readonly string[] {
  const words = wordsOf(message)
  return Object.values(names).filter((name) => words.has(name))
}
