import type { Claim } from "../policy/claim.ts"
import type { RecordedRequest } from "./ledger.ts"
import type { Meters } from "./meters.ts"
import { refundsOf } from "./refund.ts"

/** Makes the claims of a recorded request, by the limits that shall hold from now on. */
export type BuildClaims = (request: RecordedRequest) => readonly Claim[]

/** Something that changed what is used. */
export type MeterEvent =
  | { readonly kind: "counted"; readonly request: RecordedRequest }
  | { readonly kind: "released"; readonly request: RecordedRequest; readonly atMs: number }

/** Counts recorded requests, which come in the order of counting, and gives room back when it was given back. */
export async function foldHistory(
  meters: Meters,
  build: BuildClaims,
  history: AsyncIterable<RecordedRequest>,
): Promise<void> {
  const waiting: Release[] = []
  for await (const request of history) {
    applyUntil(waiting, request.countedAtMs, meters)
    const claims = build(request)
    meters.count(claims, request.countedAtMs)
    if (request.releasedAtMs !== undefined) {
      insert(waiting, { claims, takenAtMs: request.countedAtMs, atMs: request.releasedAtMs })
    }
  }
  applyUntil(waiting, Infinity, meters)
}

/** Follows one event. */
export function followEvent(meters: Meters, build: BuildClaims, event: MeterEvent): void {
  const claims = build(event.request)
  const { countedAtMs } = event.request
  if (event.kind === "counted") meters.count(claims, countedAtMs)
  else meters.release(refundsOf(claims), countedAtMs, event.atMs)
}

type Release = {
  readonly claims: readonly Claim[]
  readonly takenAtMs: number
  readonly atMs: number
}

/** Keeps the list in the order of time. */
function insert(waiting: Release[], release: Release): void {
  const before = waiting.findLastIndex(({ atMs }) => atMs <= release.atMs)
  waiting.splice(before + 1, 0, release)
}

function applyUntil(waiting: Release[], untilMs: number, meters: Meters): void {
  for (let next = waiting[0]; next !== undefined && next.atMs <= untilMs; next = waiting[0]) {
    meters.release(refundsOf(next.claims), next.takenAtMs, next.atMs)
    waiting.shift()
  }
}
