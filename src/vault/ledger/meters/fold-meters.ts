import type { Claim } from "../../policy/terms.ts"
import { countedAt, refundsOf } from "../records/request-row.ts"
import type { RequestRow } from "../records/row.ts"
import type { HistoryRow } from "../store/meter-queries.ts"
import type { Meters } from "./meters.ts"

/** Makes the claims of a recorded request, by the limits that shall hold from now on. */
export type BuildClaims = (row: RequestRow) => readonly Claim[]

/** Something that changed what is used. */
export type MeterEvent =
  | { readonly kind: "counted"; readonly row: RequestRow }
  | { readonly kind: "released"; readonly row: RequestRow; readonly atMs: number }

/** What is folded into meters. */
export type History = {
  /** In the order of counting. */
  readonly requests: AsyncIterable<HistoryRow>
  /** Requests that are counted already, and whose room was given back since. */
  readonly released?: AsyncIterable<HistoryRow>
}

/**
 * Counts recorded requests, and gives room back when it was given back. Returns how many requests it
 * counted or gave back.
 */
export async function foldHistory(
  meters: Meters,
  build: BuildClaims,
  { requests, released }: History,
): Promise<number> {
  const waiting: Release[] = []
  let folded = 0
  for await (const request of released ?? []) {
    wait(waiting, request, build(request.row))
    folded += 1
  }
  for await (const request of requests) {
    const atMs = countedAt(request.row)
    applyUntil(waiting, atMs, meters)
    const claims = build(request.row)
    meters.count(claims, atMs)
    wait(waiting, request, claims)
    folded += 1
  }
  applyUntil(waiting, Infinity, meters)
  return folded
}

/** Follows one event. */
export function followEvent(meters: Meters, build: BuildClaims, event: MeterEvent): void {
  const claims = build(event.row)
  const countedAtMs = countedAt(event.row)
  if (event.kind === "counted") meters.count(claims, countedAtMs)
  else meters.release(refundsOf(claims), countedAtMs, event.atMs)
}

type Release = {
  readonly claims: readonly Claim[]
  readonly takenAtMs: number
  readonly atMs: number
}

/** Keeps the list in the order of time. */
function wait(waiting: Release[], { row, released }: HistoryRow, claims: readonly Claim[]): void {
  if (released === undefined) return
  const { atMs } = released
  const before = waiting.findLastIndex((release) => release.atMs <= atMs)
  waiting.splice(before + 1, 0, { claims, takenAtMs: countedAt(row), atMs })
}

function applyUntil(waiting: Release[], untilMs: number, meters: Meters): void {
  for (let next = waiting[0]; next !== undefined && next.atMs <= untilMs; next = waiting[0]) {
    meters.release(refundsOf(next.claims), next.takenAtMs, next.atMs)
    waiting.shift()
  }
}
