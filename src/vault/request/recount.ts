import { version } from "../../std/version.ts"
import { laneOf, opaquePayload, parsePayload } from "../../venue/payload/parse-payload.ts"
import { type ActiveSet, viewOf } from "../active/active-set.ts"
import { budgetWindowMs, type Spending } from "../budgets/budget.ts"
import { recordedTime } from "../process/clock.ts"
import type { GuardedAccounts } from "../guards/accounts.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { type KeyEntry, isReserved } from "../ledger/records/bindings.ts"
import { countedAt, readSizes } from "../ledger/records/request-row.ts"
import type { RequestRow, ShadowRow } from "../ledger/records/row.ts"
import { leaseNonces } from "../ledger/signers/signer-marks.ts"
import { claimsOf } from "../policy/claims-of.ts"
import { type Claim, isEver, type Policy } from "../policy/terms.ts"
import { type JudgedRequest, type Subject, subjectOf } from "../policy/match/judged-request.ts"
import { longestDayMs } from "../policy/values/local-clock.ts"
import { guardedBy } from "./guard-request.ts"
import { circumstancesOf } from "./judge-request.ts"
import { recordedBody } from "./settle-record.ts"
import { spendingOf } from "./spending.ts"

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
  return ledger.replaceMeters((row) => recordedClaims(row, current()), windowMs, {
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
function recordedClaims(row: RequestRow, active: ActiveSet): readonly Claim[] {
  if (isReserved(row.client)) return [] // as when it was recorded: no limit is the operator's
  const set = viewOf(row.key, active)
  const subject = recordedSubject(row, set)
  return subject === undefined ? [] : claimsOf(subject, readSizes(row), set.policies).claims
}

/** A recorded request as policies see it, at the time at which it was counted; `undefined` when its key is gone. */
function recordedSubject(row: RequestRow, set: ActiveSet): Subject | undefined {
  const judged = judgedRecord(row, set)
  if (judged === undefined) return undefined
  return subjectOf(judged.request, circumstancesOf(judged.key, set, recordedTime(countedAt(row))))
}

/** A recorded request as policy is told of it; `undefined` when its key is gone. */
export function judgedRecord(
  row: RequestRow | ShadowRow,
  set: ActiveSet,
): { readonly request: JudgedRequest; readonly key: KeyEntry } | undefined {
  const key = set.keys.get(row.key)
  const read = parseAgain(row, set)
  if (key === undefined || read === undefined) return undefined
  const { body, payload, lane } = read
  return {
    key,
    request: {
      ...{ client: row.client, key, operation: row.operation, target: row.target ?? undefined },
      ...{ body, payload, lane },
      isKeyed: row.kind === "shadow" || row.idempotency !== undefined, // of a shadow it isn't recorded
      checkAgeMs: row.kind === "shadow" || row.idempotency?.by === "check" ? 0 : Infinity,
      expiresInMs: 0, // how long it was good isn't recorded; no limit looks at it
    },
  }
}

/** A recorded request's body as the set's profile reads it, as far as it still can. */
function parseAgain(row: Pick<RequestRow, "operation" | "body">, { profile }: ActiveSet) {
  const endpoint = profile.endpoints.get(row.operation)
  if (endpoint === undefined) return undefined
  const body = recordedBody(row.body)
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
  for (const { row, ageMs } of recent.toSorted((one, other) => other.ageMs - one.ageMs)) {
    const spending = recordedSpending(row, set)
    if (spending !== undefined) ledger.budgets.countEarlier(spending, ageMs)
  }
}

/** Counts what another host recorded as of now. It has an IP of its own. */
export function countElsewhere(
  row: RequestRow,
  set: ActiveSet,
  { budgets, now }: Pick<Ledger, "budgets" | "now">,
): void {
  const spending = recordedSpending(row, set)
  if (spending === undefined) return
  const elsewhere = { ...spending, terms: { ...spending.terms, ip: undefined } }
  budgets.countEarlier(elsewhere, now() - countedAt(row))
}

/** No signature is good for longer. */
const longestValidityMs = 3_600_000
/** More than lag, skew and how far nonces may be ahead of the clock together. */
const slackMs = 600_000

/**
 * Counts, for a start, what was signed for the accounts that guards look after and may still be taken by the venue, or may not
 * have been shown yet. What is older any reading from now on covers. Where a ledger was restored, signatures that it
 * doesn't have may be good as long: of each signer up to the nonce that its mark tells.
 */
export async function countUncovered(
  set: ActiveSet,
  { ledger, accounts, now }: GuardedVault,
): Promise<void> {
  if (accounts.size === 0) return
  const known = new Map<string, number>()
  for await (const row of ledger.history(now() - longestValidityMs - slackMs)) {
    countOpeners(row, set, accounts)
    known.set(row.signer, Math.max(row.nonce, known.get(row.signer) ?? 0))
  }
  const used = [...set.keys.values()].map(({ address: signer }) => {
    // A crash leaves a signer as far ahead of what it signed as its mark was written ahead.
    return { signer, nonce: (ledger.lastNonce(signer) ?? 0) - leaseNonces }
  })
  const lost = [...ledger.marks.waiting(), ...used].filter(({ signer, nonce }) => {
    return nonce > (known.get(signer) ?? 0)
  })
  const untilMs = Math.max(0, ...lost.map(({ nonce }) => nonce)) + longestValidityMs
  for (const { exposure } of accounts.values()) exposure.distrust(untilMs)
}

type GuardedVault = {
  readonly ledger: Pick<Ledger, "history" | "lastNonce" | "marks">
  readonly accounts: GuardedAccounts
  readonly now: Ledger["now"]
}

/** Counts what a recorded request can add to a position of its account, until a reading covers it. */
export function countOpeners(row: RequestRow, active: ActiveSet, accounts: GuardedAccounts): void {
  if (accounts.size === 0) return
  const set = viewOf(row.key, active)
  const subject = recordedSubject(row, set)
  if (subject === undefined) return
  const guarded = guardedBy({ subject, sizes: readSizes(row), set }, accounts)
  guarded?.took(row.id, row.expires_after)
}

/** Of requests in the order of counting, those that may still count. */
async function withAges(
  history: AsyncIterable<RequestRow>,
  nowMs: number,
): Promise<readonly { readonly row: RequestRow; readonly ageMs: number }[]> {
  const passed: { readonly row: RequestRow; readonly ageMs: number }[] = []
  const ahead: RequestRow[] = []
  for await (const row of history) {
    const countedAtMs = countedAt(row)
    if (countedAtMs <= nowMs) passed.push({ row, ageMs: nowMs - countedAtMs })
    else ahead.push(row)
    const isOver = (earlier: RequestRow) => countedAt(earlier) <= countedAtMs - budgetWindowMs
    while (ahead[0] !== undefined && isOver(ahead[0])) ahead.shift()
  }
  const newest = ahead.at(-1)
  const newestMs = newest === undefined ? nowMs : countedAt(newest)
  const aged = ahead.map((row) => ({ row, ageMs: newestMs - countedAt(row) }))
  return [...passed, ...aged]
}

function recordedSpending(row: RequestRow, active: ActiveSet): Spending | undefined {
  const set = viewOf(row.key, active)
  const read = parseAgain(row, set)
  const parties = { signer: row.signer, target: row.target ?? undefined }
  return read && spendingOf({ ...read, parties }, row.client, set)
}
