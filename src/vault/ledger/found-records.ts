import type { KeptAnswer } from "../../link/calls/both-ways.ts"
import { Fault } from "../../std/fault.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { RecordId } from "./records/record-id.ts"
import { type RecordState, stateAsOf } from "./records/record-state.ts"
import { countedAt } from "./records/request-row.ts"
import type { ShadowRow } from "./records/row.ts"
import type { FoundKey, FoundRecord, FoundRequest, StoreTurn } from "./store/store.ts"

/** Whether it is a request's record; else it is a refusal's, or there is none. */
export function isRequest(found: FoundRecord | undefined): found is FoundRequest {
  return found !== undefined && "heard" in found
}

/** A record that is a request. @throws {Fault} `name_unknown` */
export function asRequest(found: FoundRecord | undefined): FoundRequest {
  if (isRequest(found)) return found
  throw noSuchRequest()
}

export function noSuchRequest(): Fault {
  return new Fault("name_unknown", "The ledger has no request with this id; check the id.")
}

/** Whether the venue's final answer to it is known. */
export function isAnswered({ heard }: FoundRequest): boolean {
  return heard === "accepted" || heard === "refused"
}

/** How long a key is kept for its request at least: no other request of the client can have it. */
export const keptMs = 86_400_000

/** What a key was used for: nothing, a request that it still stands for, or one that it is free of. */
export type KeyUse =
  /** `check`: the recorded check that it names. */
  | { readonly kind: "unused"; readonly check?: ShadowRow }
  | { readonly kind: "kept"; readonly request: FoundKey }
  | { readonly kind: "ended"; readonly record: RecordId }

/** Of a request that was just reserved. */
export const nothingHeard: Omit<FoundKey, "row"> = {
  ...{ heard: null, status: null, code: null },
  ...{ sends: 0, answered: undefined },
}

/** What a key stands for at `nowMs`. It is kept for a day, and for as long as its request is good. */
export function keyUse(found: ReturnType<StoreTurn["found"]>, nowMs: LedgerTime): KeyUse {
  if (found !== undefined && !("heard" in found)) return { kind: "unused", check: found.row }
  if (found?.row.idempotency === undefined) return { kind: "unused" }
  const { row } = found
  const untilMs = Math.max(countedAt(row) + keptMs, row.expires_after)
  return nowMs > untilMs ? { kind: "ended", record: row.id } : { kind: "kept", request: found }
}

/** The gate said that no byte of it left or the venue processed none, and has not begun to send it again. */
export function isUnsent({ heard, sends }: FoundKey): boolean {
  return heard === "unsent" && sends === 0
}

/** The venue's words, where it is that which processed none of the request. */
export function putOffBy({ heard, status, code }: FoundKey) {
  return heard !== "unsent" || status === null || code === null ? undefined : { status, code }
}

/** The venue's final answer, where it was short enough to be kept. */
export function keptAnswer({
  answered,
}: FoundKey): (KeptAnswer & { readonly status: number }) | undefined {
  if (answered?.answer === undefined || answered.status === null) return undefined
  return { ...answered.answer, status: answered.status }
}

/** What became of a record as of `nowMs`. */
export function stateOf(found: FoundRecord, nowMs: LedgerTime): RecordState {
  return isRequest(found) ? stateAsOf(found.heard, found.row.expires_after, nowMs) : "refused_here"
}
