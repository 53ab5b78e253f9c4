import type { JsonObject } from "../venue/json.ts"
import { parsePayload } from "../venue/parse-payload.ts"
import type { Payload } from "../venue/payload.ts"
import { version } from "../version.ts"
import type { ActiveSet } from "./active-set.ts"
import { circumstancesOf } from "./judge-request.ts"
import type { Ledger, RecordedRequest } from "./ledger/ledger.ts"
import type { KeyEntry } from "./bindings.ts"
import type { Claim } from "./policy/claim.ts"
import { claimsOf } from "./policy/claims-of.ts"
import type { JudgedRequest } from "./policy/decision.ts"
import type { Policy } from "./policy/policy.ts"
import { subjectOf } from "./policy/subject.ts"
import { isReserved } from "./reference-prices.ts"
import { recordedBody } from "./recorded-body.ts"

/** 26 hours: no calendar has a longer day. */
const longestDayMs = 26 * 3_600_000

/**
 * Counts what the limits of a set have used from what was recorded, then puts the set and its meters in
 * force in one step by `exchange`. `current` is that set with the keys there are by now: one that was
 * added while others are counted may have signed already.
 */
export function countAnew(
  current: () => ActiveSet,
  { ledger, nowMs }: { readonly ledger: Ledger; readonly nowMs: number },
  exchange: () => void,
): Promise<void> {
  const sinceMs = nowMs - longestWindowMs(current().policies)
  // Another version may count otherwise what the same files say.
  const countedBy = `${version} ${current().filesHash}`
  return ledger.replaceMeters((request) => recordedClaims(request, current()), sinceMs, {
    countedBy,
    exchanged: exchange,
  })
}

/** How far back any limit looks. */
export function longestWindowMs(policies: readonly Policy[]): number {
  const windows = policies.flatMap(({ limits }) => limits.map(({ window }) => window))
  return Math.max(
    0,
    ...windows.map((window) => (window.kind === "rolling" ? window.lengthMs : longestDayMs)),
  )
}

/**
 * What a set's limits count of a request that was recorded, sized as it was then. What the set's profile
 * can't read any more counts as what can't be read: in every limit that could mean it.
 */
export function recordedClaims(request: RecordedRequest, set: ActiveSet): readonly Claim[] {
  if (isReserved(request.client)) return [] // as when it was recorded: no limit is the operator's
  const judged = judgedRecord(request, set)
  if (judged === undefined) return []
  const circumstances = circumstancesOf(judged.key, set, request.countedAtMs)
  const subject = subjectOf(judged.request, circumstances)
  return claimsOf(subject, request.sizes, set.policies).claims
}

/** A recorded request as policy is told of it; `undefined` when its key is gone. */
export function judgedRecord(
  request: RecordedRequest,
  set: ActiveSet,
): { readonly request: JudgedRequest; readonly key: KeyEntry } | undefined {
  const key = set.keys.get(request.key)
  if (key === undefined) return undefined
  const body = recordedBody(request.body)
  return {
    key,
    request: {
      client: request.client,
      key: { name: key.name, address: key.address, role: key.role },
      operation: request.operation,
      target: request.target ?? undefined,
      body,
      payload: payloadOf(request, body, set),
      expiresInMs: 0, // how long it was good isn't recorded; no limit looks at it
    },
  }
}

/** A recorded request's body as the set's profile reads it, if it still can. */
export function payloadOf(
  { operation }: RecordedRequest,
  body: JsonObject,
  { profile }: ActiveSet,
): Payload {
  const endpoint = profile.endpoints.get(operation)
  const payload = endpoint === undefined ? undefined : parsePayload(endpoint, body, profile)
  return payload?.ok === true ? payload.value : { kind: "opaque", batchLength: 1 }
}
