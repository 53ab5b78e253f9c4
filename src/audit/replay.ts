import { datedPrices, boundSet, type ActiveSet, viewOf } from "../vault/active/active-set.ts"
import type { FileSet } from "../vault/config/load-files.ts"
import { bindingsOf } from "../vault/ledger/bindings.ts"
import { openMeters, type Meters } from "../vault/ledger/meters/meters.ts"
import { isReserved } from "../vault/ledger/records/bindings.ts"
import { countedAt } from "../vault/ledger/records/request-row.ts"
import type { RequestRow, ShadowRow } from "../vault/ledger/records/row.ts"
import { readStanding } from "../vault/ledger/sqlite/standing-table.ts"
import { judge } from "../vault/policy/judge.ts"
import { recordedTime } from "../vault/process/clock.ts"
import { circumstancesOf } from "../vault/request/judge-request.ts"
import { judgedRecord } from "../vault/request/recount.ts"
import type { LedgerReader } from "./open-ledger.ts"

/** What became of the requests of the past. */
export type Replayed = {
  readonly requests: number
  readonly refusals: number
  /** The first 500 of them. */
  readonly refused: readonly ReplayedRefusal[]
}

/** A request that the other files refuse. */
type ReplayedRefusal = {
  readonly record: string
  readonly client: string
  readonly operation: string
  readonly at: number
  readonly reason: string
  readonly policy: string | null
  readonly rule: string | null
}

/** More than a person reads; the count tells the rest. */
const maxListed = 500

/**
 * Judges the requests of the past by another set of files: those that were signed, with its limits
 * counted from the first of them on, and shadows, each by itself. Nothing is signed, recorded or put in
 * force.
 *
 * Prices of the past aren't recorded, so orders are sized by the latest ones known, however old.
 */
export function replay(ledger: LedgerReader, files: FileSet, sinceMs: number): Replayed {
  const set = boundSet(files, bindingsOf(readStanding(ledger)))
  const meters = openMeters()
  const tally = { requests: 0, refusals: 0, refused: [] as ReplayedRefusal[] }
  const count = (refusal: ReplayedRefusal | undefined): void => {
    tally.requests += 1
    if (refusal === undefined) return
    tally.refusals += 1
    if (tally.refused.length < maxListed) tally.refused.push(refusal)
  }
  for (const row of rowsSince<RequestRow>(ledger, "requests", sinceMs)) {
    // What the operator or a panic asked for was judged by no policy.
    if (!isReserved(row.client)) count(refusalNow(row, set, meters))
  }
  for (const row of rowsSince<ShadowRow>(ledger, "shadows", sinceMs)) {
    // What was only asked about took no room, so its limits are asked for it alone.
    count(refusalNow(row, set, openMeters()))
  }
  return tally
}

/** How many rows are read at a time: a few milliseconds. */
const pageRows = 1_000

/** By which time requests are ordered: those that were signed count from it on, the others were only asked about. */
const timeOf = { requests: "counted_at", shadows: "asked_at" } as const

/** What the projections wrote into our own STRICT tables. */
type Found = { readonly at: number; readonly seq: number; readonly row: string }

/** The requests of `sinceMs` or later, in the order of their time. */
function* rowsSince<Row>(
  ledger: LedgerReader,
  table: keyof typeof timeOf,
  sinceMs: number,
): Generator<Row> {
  const time = timeOf[table]
  const find = ledger.prepare(
    `SELECT ${time} AS at, ${table}.seq, row FROM ${table} JOIN entries USING (seq)
     WHERE (${time}, ${table}.seq) > (?, ?) ORDER BY ${time}, ${table}.seq LIMIT ${pageRows}`,
  )
  let last: Pick<Found, "at" | "seq"> | undefined = { at: Math.ceil(sinceMs), seq: 0 }
  while (last !== undefined) {
    const page = find.all(last.at, last.seq) as unknown as readonly Found[]
    for (const { row } of page) yield JSON.parse(row) as Row
    last = page.at(-1)
  }
}

function refusalNow(
  row: RequestRow | ShadowRow,
  active: ActiveSet,
  meters: Meters,
): ReplayedRefusal | undefined {
  const { id, client, operation, at_ms: at } = row
  const countedAtMs = countedAt(row)
  const told = { record: id, client, operation, at }
  const set = viewOf(row.key, active)
  const judged = judgedRecord(row, set)
  if (judged === undefined) return { ...told, reason: "key_gone", policy: null, rule: null }
  const circumstances = {
    ...circumstancesOf(judged.key, set, recordedTime(countedAtMs)),
    referencePrice: (symbolId: number) => datedPrices(symbolId, set)[0]?.value,
  }
  const decision = judge(judged.request, set.policies, circumstances)
  if (decision.kind === "refuse") {
    const { reason, policy, rule } = decision.denial
    return { ...told, reason, policy, rule }
  }
  const spent = meters.take(decision.claims, countedAtMs)
  if (spent === undefined) return undefined
  const { policy, limit, isRepeat } = spent.claim
  return { ...told, reason: isRepeat ? "repeated_within" : "limit_exhausted", policy, rule: limit }
}
