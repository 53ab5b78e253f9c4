import type { Claim, ClaimWindow } from "../../src/vault/policy/terms.ts"
import type { JournalRow, OutcomeRow, RequestRow } from "../../src/vault/ledger/records/row.ts"
import { aClaim } from "./a-claim.ts"

/** A limit as the oracle sees it. Whole numbers alone. */
export type PlainLimit = {
  readonly meter: string
  readonly window: ClaimWindow
  readonly release: Claim["release"]
  readonly max: number
  /** What it counts of a request of one. */
  readonly each: number
}

/** A request's body names its limits by their meters, so that its claims can be made again. */
export type PlainBody = { readonly amount: number; readonly of: readonly string[] }

/** What these limits make of a request, by the vault's own types. */
export function plainClaims(body: string, limits: readonly PlainLimit[]): readonly Claim[] {
  return limits
    .map((limit) => ({ limit, amount: amountOf(body, limit) }))
    .filter(({ amount }) => amount > 0)
    .map(({ limit: { meter, window, release, max }, amount }) =>
      aClaim({ ...{ meter, limit: meter, window, release }, ...asTexts({ amount, max }) }),
    )
}

const asTexts = (amounts: { readonly amount: number; readonly max: number }) => ({
  amount: String(amounts.amount),
  max: String(amounts.max),
})

function amountOf(body: string, { meter, each }: PlainLimit): number {
  const { amount, of } = JSON.parse(body) as PlainBody
  return of.includes(meter) ? amount * each : 0
}

/** What is used of a limit at `atMs`: recounted from all rows, one by one, without any of the daemon's counting. */
export function usedByRows(rows: readonly JournalRow[], limit: PlainLimit, atMs: number): number {
  const taken = new Map<string, Part>()
  const given: Part[] = []
  for (const [index, row] of rows.entries()) {
    if (row.kind === "request") {
      taken.set(row.id, partOf(row, amountOf(row.body, limit), limit.window))
    }
    if (row.kind !== "outcome" || limit.release !== "refused") continue
    const of = taken.get(row.record)
    if (of?.isRefundable === true && refusesOnlySend(row, rows.slice(0, index))) {
      giveBack(row, { of, given, limit })
    }
  }
  return sumAt([...taken.values()], atMs)
}

/** After any other word than that of one send, an earlier send may have been accepted. */
function refusesOnlySend({ outcome, record }: OutcomeRow, earlier: readonly JournalRow[]): boolean {
  const words = earlier.flatMap((row) =>
    row.kind === "outcome" && row.record === record ? [row.outcome] : [],
  )
  return outcome === "refused" && words.length === 1 && words[0] === "sent"
}

function giveBack(
  row: OutcomeRow,
  to: { readonly of: Part; readonly given: Part[]; readonly limit: PlainLimit },
): void {
  const { of, given, limit } = to
  const nowMs = timeOf(row)
  if (of.untilMs <= nowMs) return
  const back = Math.min(of.amount, Math.max(0, limit.max - sumAt(given, nowMs)))
  of.amount -= back
  given.push(partOf(row, back, limit.window))
}

type Part = { amount: number; readonly untilMs: number; readonly isRefundable: boolean }

const timeOf = (row: RequestRow | OutcomeRow): number => row.counted_at ?? row.at_ms

function partOf(row: RequestRow | OutcomeRow, amount: number, window: ClaimWindow): Part {
  const untilMs = window.kind === "rolling" ? timeOf(row) + window.lengthMs : window.endMs
  return { amount, untilMs, isRefundable: row.kind === "request" && row.refunds !== undefined }
}

function sumAt(parts: readonly Part[], atMs: number): number {
  return parts.filter(({ untilMs }) => untilMs > atMs).reduce((sum, { amount }) => sum + amount, 0)
}
