import { version } from "../../std/version.ts"
import type { JsonObject } from "../../venue/json.ts"
import { laneOf, opaquePayload, parsePayload } from "../../venue/payload/parse-payload.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { budgetWindowMs, type Spending } from "../budgets/budget.ts"
import { recordedTime } from "../process/clock.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type KeyEntry, isReserved } from "../ledger/records/bindings.ts"
import type { RecordedRequest } from "../ledger/records/entries.ts"
import { claimsOf } from "../policy/claims-of.ts"
import { type Claim, isEver } from "../policy/terms/claim.ts"
import { type JudgedRequest, subjectOf } from "../policy/match/judged-request.ts"
import type { Policy } from "../policy/terms/policy.ts"
import { circumstancesOf } from "./judge-request.ts"
import type { ParsedRequest } from "./parse-request.ts"
import { recordedBody } from "./settle-record.ts"
import { spendingOf } from "./spending.ts"

/** 26 hours: no calendar has a longer day. */
const longestDayMs = 26 * 3_600_000

/**
 * Counts what the limits of a set have used from what was recorded, then puts the set and its meters in
 * force in one step by `exchange`. `current` is that set with the keys there are by now: one that was
 * added while others are counted may have signed already.
 */
export function countAnew(
  current: () => ActiveSet,
  ledger: Pick<Ledger, "replaceMeters">,
  exchange = (): void => undefined,
): Promise<void> {
  const windowMs = longestWindowMs(current().policies)
  // Another version may count otherwise what the same files say.
  const countedBy = `${version} ${current().policyHash}`
  return ledger.replaceMeters((request) => recordedClaims(request, current()), windowMs, {
    countedBy,
    exchanged: exchange,
  })
}

/** How far back any limit looks. One that counts for ever doesn't: its sum is kept. */
export function longestWindowMs(policies: readonly Policy[]): number {
  const all = policies.flatMap(({ limits }) => limits.map(({ window }) => window))
  const windows = all.filter((window) => !isEver(window))
  return Math.max(
    0,
    ...policies.map(({ repeatWithin }) => repeatWithin?.ms ?? 0),
    ...windows.map((window) => (window.kind === "rolling" ? window.lengthMs : longestDayMs)),
  )
}

/**
 * What a set's limits count of a request that was recorded, sized as it was then. What the set's profile
 * can't read any more counts as what can't be read: in every limit that could mean it.
 */
function recordedClaims(request: RecordedRequest, set: ActiveSet): readonly Claim[] {
  if (isReserved(request.client)) return [] // as when it was recorded: no limit is the operator's
  const judged = judgedRecord(request, set)
  if (judged === undefined) return []
  const circumstances = circumstancesOf(judged.key, set, recordedTime(request.countedAtMs))
  const subject = subjectOf(judged.request, circumstances)
  return claimsOf(subject, request.sizes, set.policies).claims
}

/** A recorded request as policy is told of it; `undefined` when its key is gone. */
export function judgedRecord(
  request: RecordedRequest,
  set: ActiveSet,
): { readonly request: JudgedRequest; readonly key: KeyEntry } | undefined {
  const key = set.keys.get(request.key)
  const read = parseAgain(request, set)
  if (key === undefined || read === undefined) return undefined
  const { body, payload, lane } = read
  return {
    key,
    request: {
      client: request.client,
      key: { name: key.name, address: key.address, role: key.role },
      operation: request.operation,
      target: request.target ?? undefined,
      body,
      payload,
      lane,
      isKeyed: request.isKeyed,
      expiresInMs: 0, // how long it was good isn't recorded; no limit looks at it
    },
  }
}

type Reparsed = Pick<ParsedRequest, "endpoint" | "payload" | "lane"> & { readonly body: JsonObject }

/** A recorded request's body as the set's profile reads it, as far as it still can. */
function parseAgain(
  request: Pick<RecordedRequest, "operation" | "body">,
  { profile }: ActiveSet,
): Reparsed | undefined {
  const endpoint = profile.endpoints.get(request.operation)
  if (endpoint === undefined) return undefined
  const body = recordedBody(request.body)
  const read = parsePayload(endpoint, body, profile)
  const payload = read.ok ? read.value : opaquePayload(endpoint, body)
  return { endpoint, body, payload, lane: laneOf(endpoint, payload, profile) }
}

/**
 * Counts in the venue's rate budgets what was recorded within their window, for a start: the venue goes on
 * counting. A signature that was only given out again has no record of its own, so it isn't among these.
 *
 * Where the clock was set back since, requests lie ahead of it: what the newest of these came within a window
 * of counts, each by how much older than that it is. So nothing counts as older than it is.
 */
export async function countLastMinute(
  set: ActiveSet,
  {
    ledger,
    nowMs,
  }: { readonly ledger: Pick<Ledger, "history" | "budgets">; readonly nowMs: number },
): Promise<void> {
  const { isOn } = set.config.budgets
  if (!isOn.address && !isOn.ip) return
  const recent = await withAges(ledger.history(nowMs - budgetWindowMs), nowMs)
  for (const { request, ageMs } of recent.toSorted((one, other) => other.ageMs - one.ageMs)) {
    const spending = recordedSpending(request, set)
    if (spending !== undefined) ledger.budgets.countEarlier(spending, ageMs)
  }
}

/** Counts what another host recorded as of now. It has an IP of its own. */
export function countElsewhere(
  request: RecordedRequest,
  set: ActiveSet,
  { budgets, now }: Pick<Ledger, "budgets" | "now">,
): void {
  const spending = recordedSpending(request, set)
  if (spending === undefined) return
  const elsewhere = { ...spending, terms: { ...spending.terms, ip: undefined } }
  budgets.countEarlier(elsewhere, now() - request.countedAtMs)
}

type Aged = { readonly request: RecordedRequest; readonly ageMs: number }

/** Of requests in the order of counting, those that may still count. */
async function withAges(
  history: AsyncIterable<RecordedRequest>,
  nowMs: number,
): Promise<readonly Aged[]> {
  const passed: Aged[] = []
  const ahead: RecordedRequest[] = []
  for await (const request of history) {
    const { countedAtMs } = request
    if (countedAtMs <= nowMs) passed.push({ request, ageMs: nowMs - countedAtMs })
    else ahead.push(request)
    while ((ahead[0]?.countedAtMs ?? Infinity) <= countedAtMs - budgetWindowMs) ahead.shift()
  }
  const newestMs = ahead.at(-1)?.countedAtMs ?? nowMs
  const aged = ahead.map((request) => ({ request, ageMs: newestMs - request.countedAtMs }))
  return [...passed, ...aged]
}

function recordedSpending(request: RecordedRequest, set: ActiveSet): Spending | undefined {
  const { client, signer, target } = request
  const read = parseAgain(request, set)
  if (read === undefined) return undefined
  return spendingOf({ ...read, parties: { signer, target: target ?? undefined } }, client, set)
}
