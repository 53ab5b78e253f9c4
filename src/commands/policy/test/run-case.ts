import { createHash } from "node:crypto"

import type { Refusal } from "../../../contract/refusal.ts"
import type { CheckReport } from "../../../contract/bot-views.ts"
import { makeActiveSet, type ActiveSet } from "../../../vault/active/active-set.ts"
import { openBudgets } from "../../../vault/budgets/budgets.ts"
import type { FileSet } from "../../../vault/config/load-files.ts"
import { openMeters } from "../../../vault/ledger/meters/meters.ts"
import type { Price } from "../../../vault/ledger/records/prices.ts"
import { operatorName, type Client, type KeyEntry } from "../../../vault/ledger/records/bindings.ts"
import type { Claim } from "../../../vault/policy/terms.ts"
import { parseSymbol } from "../../../vault/policy/values/scalars.ts"
import { recordedTime, type LedgerTime } from "../../../vault/process/clock.ts"
import type { ExplainContext } from "../../../vault/request/asking.ts"
import { explainRequest } from "../../../vault/request/check-request.ts"
import { openDiskSpace } from "../../../vault/watch/disk-space.ts"
import { openVenueClock } from "../../../vault/watch/venue-clock.ts"
import { parseAddress } from "../../../venue/address.ts"
import type { GuardedAccount } from "../../../vault/guards/accounts.ts"
import { readCaseAccount } from "./case-account.ts"
import type { Used, WrittenCase, WrittenKey, CaseFile, PolicyCase } from "./parse-cases.ts"

/** What became of a case, or should have. */
type Outcome = {
  readonly verdict: "allow" | "hold" | "deny"
  /** `policy/name` of the entries that said so; of what is expected at most one. */
  readonly rules: readonly string[]
  /** Why it is denied. */
  readonly reason: string | null
}

/** A case that was judged. */
export type CaseResult = {
  readonly case: PolicyCase
  readonly got: Outcome
  /** What is wrong, in a sentence; `null` where the case is as expected. */
  readonly failure: string | null
  readonly report: CheckReport
}

/** Judges a case, and holds what became of it against what it expects. */
export function runCase(written: PolicyCase, { keys }: CaseFile, files: FileSet): CaseResult {
  const report = judgeCase(written, keys, files)
  const got = outcomeOf(report)
  return { case: written, got, failure: failureOf(written, got, report.refusal), report }
}

/** What a case expects, as far as it says. */
export function expectedOf({ expect, rule, reason }: PolicyCase): Outcome {
  return { verdict: expect, rules: rule === undefined ? [] : [rule], reason: reason ?? null }
}

export function outcomeText({ verdict, rules, reason }: Outcome): string {
  const by = rules.length === 0 ? "" : ` (${rules.join(", ")})`
  return `${verdict}${reason === null ? "" : ` ${reason}`}${by}`
}

function outcomeOf({ refusal, verdicts }: CheckReport): Outcome {
  const saying = (word: string): readonly string[] =>
    verdicts
      .filter(({ verdict }) => verdict === word)
      .map(({ policy, rule }) => `${policy}/${rule}`)
  if (refusal === null) return { verdict: "allow", rules: saying("allows"), reason: null }
  if (refusal.code === "approval_required") {
    return { verdict: "hold", rules: saying("holds"), reason: null }
  }
  return { verdict: "deny", ...denialOf(refusal) }
}

function denialOf(refusal: Refusal): Pick<Outcome, "rules" | "reason"> {
  if (refusal.code === "policy_denied") {
    const { policy, rule, reason } = refusal.data
    return { reason, rules: policy === null ? [] : [`${policy}/${rule ?? ""}`] }
  }
  if (refusal.code === "limit_exhausted") {
    return { reason: refusal.code, rules: [`${refusal.data.policy}/${refusal.data.limit}`] }
  }
  return { reason: refusal.code, rules: guardOf(refusal) }
}

function failureOf(written: PolicyCase, got: Outcome, refusal: Refusal | null): string | null {
  const expected = expectedOf(written)
  const why = refusal === null ? "" : `: ${refusal.message}`
  const told = `expected ${outcomeText(expected)}, got ${outcomeText(got)}${why}`
  if (!isAsExpected(got, expected)) return told
  if (refusal === null || isSaidByPolicy(refusal) || expected.reason !== null) {
    return null
  }
  // A body with a slip is refused before any policy is asked, which shows nothing of policies.
  return `${told} No policy refused it; if the case means this refusal, name its reason`
}

/** `policy/name` of the guard that refused, if one did. */
export function guardOf({ data }: Refusal): readonly string[] {
  return data !== null && "guard" in data ? [`${data.policy}/${data.guard}`] : []
}

function isSaidByPolicy(refusal: Refusal): boolean {
  return saidByPolicy.includes(refusal.code) || guardOf(refusal).length > 0
}

const saidByPolicy: readonly Refusal["code"][] = [
  "check_expired",
  "check_required",
  "policy_denied",
  "limit_exhausted",
  "approval_required",
]

function isAsExpected(got: Outcome, { verdict, rules, reason }: Outcome): boolean {
  return (
    got.verdict === verdict &&
    rules.every((rule) => got.rules.includes(rule)) &&
    (reason === null || got.reason === reason)
  )
}

/**
 * What the vault makes of a case: the answer of `policy explain` and of POST /check, by the same code, for an
 * installation with these files, the case's client, keys, prices and time, and nothing used but what the case says.
 */
function judgeCase(
  written: WrittenCase,
  keys: ReadonlyMap<string, WrittenKey>,
  files: FileSet,
): CheckReport {
  const { endpoint, body, key, expiresInMs, idempotencyKey, checkAgeMs, atMs } = written
  const nowMs = recordedTime(atMs)
  const client = clientOf(written, keys)
  const read = accountOf(written, files)
  const owned = read ? keysOf(read.account, keys, key) : keys
  const entries = [...owned].map((named) => keyOf(named, files))
  const marks = new Map(read?.marks ? [[read.account.address, read.marks]] : [])
  const standing = { prices: pricesOf(written, files), marks }
  const set = makeActiveSet({ ...files, ...standing }, entries, [client])
  const call = {
    path: endpoint.path,
    body: Buffer.from(body).toString("base64"),
    key,
    ...(expiresInMs === undefined ? {} : { expiresIn: String(expiresInMs) }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(checkAgeMs === undefined ? {} : { checkAgeMs }),
  }
  const accounts = read && new Map([[read.account.address, read.account]])
  return explainRequest(call, client, { ...vaultAt(nowMs, set, written.used), accounts })
}

function accountOf({ account, atMs }: WrittenCase, files: FileSet) {
  const read = account && readCaseAccount(account, { files, atMs })
  return read?.ok === true ? read.value : undefined // mistakes were told
}

/** The keys, the account being that of one of them: of itself or of its wallet, unless the file gives that another address. */
function keysOf(
  { address }: Pick<GuardedAccount, "address">,
  keys: ReadonlyMap<string, WrittenKey>,
  trading: string,
): ReadonlyMap<string, WrittenKey> {
  const own = keys.get(trading)
  const owner = own?.role === "wallet" ? trading : (own?.wallet ?? "")
  return new Map(
    [...keys].map(([name, key]) => {
      if (name === owner) return [name, { ...key, address: key.address ?? address }]
      const isUnowned = name === trading && !keys.has(owner)
      return [name, isUnowned ? { ...key, wallet: address } : key]
    }),
  )
}

/** It may use every key, its own first: what it is bound to is no policy's word. */
function clientOf({ client, key }: WrittenCase, keys: ReadonlyMap<string, WrittenKey>): Client {
  return {
    name: client,
    token_hash: null,
    keys: [key, ...[...keys.keys()].filter((name) => name !== key)],
    rights: [],
    allow_type_b: true,
  }
}

function keyOf([name, written]: readonly [string, WrittenKey], { profile }: FileSet): KeyEntry {
  const { role, wallet = null, targets } = written
  const address = written.address ?? addressFor(name)
  const approved = { approval: "approved", expires_at: null } as const
  return { name, address, role, wallet, targets, network: profile.network, ...approved }
}

/** One of its own for each name, the same at every run. */
function addressFor(name: string): KeyEntry["address"] {
  const digits = createHash("sha256").update(name).digest("hex").slice(0, 40)
  const address = parseAddress(`0x${digits}`)
  if (address === undefined) throw new Error("unreachable: it is 40 lower-case digits")
  return address
}

function pricesOf({ prices, atMs }: WrittenCase, { profile }: FileSet): Map<number, Price> {
  const standing = { asOfMs: atMs, by: operatorName, confirmed: true }
  return new Map(
    [...prices].flatMap(([symbol, value]) => {
      const symbolId = parseSymbol(symbol, profile.symbols)
      return symbolId === undefined ? [] : [[symbolId, { symbolId, value, ...standing }] as const]
    }),
  )
}

/** A vault at a moment when nothing but policy stops anything. */
function vaultAt(
  nowMs: LedgerTime,
  set: ActiveSet,
  used: ReadonlyMap<string, Used>,
): Omit<ExplainContext, "accounts"> {
  const clock = { monotonicMs: () => 0 }
  return {
    now: () => nowMs,
    active: () => set,
    disk: openDiskSpace(() => Promise.resolve(Infinity), 0),
    venueClock: openVenueClock(clock),
    keyring: { isLocked: () => false },
    ledger: {
      findRelease: () => undefined,
      findGrant: () => undefined,
      headroom: (claims) => metersAfter(used, claims, { set, nowMs }).headroom(claims, nowMs),
      budgets: openBudgets(clock),
      marks: { waiting: () => [] },
      clock: { doubt: () => undefined },
    },
  }
}

type At = { readonly set: ActiveSet; readonly nowMs: number }

/** The meters that these claims are asked of, once what the case says was taken. */
function metersAfter(used: ReadonlyMap<string, Used>, claims: readonly Claim[], at: At) {
  const meters = openMeters()
  const each = new Map(claims.map((claim) => [claim.meter, claim])).values()
  const taken = [...each]
    .flatMap((claim) => {
      const use = used.get(`${claim.policy}/${claim.limit}`)
      return use === undefined ? [] : [{ claim, use, takenAtMs: at.nowMs - use.agoMs }]
    })
    .sort((a, b) => a.takenAtMs - b.takenAtMs) // meters take amounts in the order of time
  for (const { claim, use, takenAtMs } of taken) {
    const window = windowAt(claim, takenAtMs, at)
    if (window !== undefined) meters.count([{ ...claim, window, amount: use.amount }], takenAtMs)
  }
  return meters
}

/** The window that an amount counted in that was taken earlier. */
function windowAt(claim: Claim, takenAtMs: number, { set }: At): Claim["window"] | undefined {
  const policy = set.policies.find(({ name }) => name === claim.policy)
  const limit = policy?.limits.find(({ name }) => name === claim.limit)
  return limit?.window.kind === "day" ? limit.window.dayAt(takenAtMs) : claim.window
}
