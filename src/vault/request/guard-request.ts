import type { Refusal } from "../../contract/refusal.ts"
import type { OperationId, Profile } from "../../venue/profile.ts"
import { type ActiveSet, ownAccountOf } from "../active/active-set.ts"
import type { ReserveAsk } from "../ledger/records/reservation.ts"
import { sizingPrice, type Subject, subjectOf } from "../policy/match/judged-request.ts"
import type { PlacedGuard } from "../policy/guard-terms.ts"
import { type Allowed, appliesTo } from "../policy/terms.ts"
import type { GuardedAccount, GuardedAccounts } from "../guards/accounts.ts"
import type { Opener } from "../guards/exposure.ts"
import { judgeGuard } from "../guards/guard.ts"
import { isBelieved, nothingFor } from "../guards/reach.ts"
import type { Client } from "../ledger/records/bindings.ts"
import { circumstancesOf, type JudgedBy, judgedFor } from "./judge-request.ts"
import type { ParsedRequest } from "./parse-request.ts"
import { openersOf } from "./openers.ts"
import { lossStanding } from "./guard-losses.ts"
import {
  askedAtMs,
  guardExceeded,
  guardTripped,
  guardUnreadable,
  nothingToReduce,
} from "./refuse-guarded.ts"

/** What guards make of a request that the rules allow. */
export function guardRequest(
  request: ParsedRequest,
  {
    client,
    sizes,
    set,
    nowMs,
    call,
  }: JudgedBy & Pick<Allowed, "sizes"> & { readonly client: Client },
  accounts: GuardedAccounts,
): ReserveAsk["guarded"] {
  const circumstances = circumstancesOf(request.key, set, nowMs)
  const subject = subjectOf(judgedFor(request, client, call), circumstances)
  return guardedBy({ subject, sizes, set }, accounts)
}

/** What is judged, and by what. */
type GuardAsk = Pick<Allowed, "sizes"> & { readonly subject: Subject; readonly set: ActiveSet }

/** `undefined` where no guard asks and none counts it: no account of venue.yaml's. */
export function guardedBy(ask: GuardAsk, accounts: GuardedAccounts): ReserveAsk["guarded"] {
  const { subject, sizes, set } = ask
  const guards = guardsFor(subject.request, set)
  const address = accountOf(subject, set)
  const account = address === undefined ? undefined : accounts.get(address)
  if (guards.length === 0 && account === undefined) return undefined
  const openers = openersOf(subject, sizes, account?.mode ?? "one_way")
  return {
    refusal() {
      const [first] = guards
      if (first === undefined) return undefined
      if (!openers.ok) return guardUnreadable(openers.error, first, address)
      if (openers.value.length === 0) return account && refuseReducing(subject, first, account)
      if (account === undefined) return guardUnreadable("account_unknown", first, address)
      return refuseOpening(ask, guards, { account, openers: openers.value })
    },
    took(record, expiresAfterMs) {
      if (!openers.ok) return
      account?.exposure.took({ record, expiresAfterMs, openers: openers.value })
    },
  }
}

/** The refusal of the first guard that an order doesn't pass. */
function refuseOpening(
  { subject: { circumstances }, set }: GuardAsk,
  guards: readonly PlacedGuard[],
  { account, openers }: { readonly account: GuardedAccount; readonly openers: readonly Opener[] },
): Refusal | undefined {
  const asked = { openers, referencePrice: sizingPrice(circumstances) }
  for (const guard of guards) {
    const by = { set, nowMs: circumstances.nowMs }
    const { trip, loss } = lossStanding(guard, account, by) ?? {}
    if (trip !== undefined) return guardTripped(trip, guard, account)
    const found = judgeGuard(guard, account.exposure, { ...asked, loss })
    if (found === undefined) continue
    account.poll.isWanted = true
    return guardExceeded(found, { guard, account, symbols: set.profile.symbols })
  }
  return undefined
}

/** Not changes: they may be of orders that wait for a trigger. */
const placing: ReadonlySet<OperationId> = new Set(["placeOrder", "placeBatch"])

/**
 * A guard refuses what only reduces where surely no order of it could. One that may is enough to pass, for a way out comes
 * in a batch too.
 */
function refuseReducing(
  { request: { lane, operation }, orders = [], circumstances: { profile, nowMs } }: Subject,
  guard: PlacedGuard,
  account: GuardedAccount,
): Refusal | undefined {
  if (lane !== "reduce" || !placing.has(operation) || isFed(profile)) return undefined
  const nothing = nothingFor(orders, account)
  if (nothing === undefined) return undefined
  account.poll.isWanted = true // the next reading is believed again
  const ageMs = nowMs - askedAtMs(account)
  if (!isBelieved(ageMs)) return undefined
  return nothingToReduce(nothing, { guard, account, symbols: profile.symbols, ageMs })
}

/** What a client said of an account stops no other client's way out. */
function isFed({ accountPoll }: Profile): boolean {
  return accountPoll?.isFed === true
}

/** Those that apply to a client with a key. */
export function guardsFor(
  { client, key }: { readonly client: string; readonly key: { readonly name: string } },
  { policies }: Pick<ActiveSet, "policies">,
): readonly PlacedGuard[] {
  return policies
    .filter((policy) => policy.guards.length > 0 && appliesTo(policy, client, key.name))
    .flatMap(({ guards }) => guards)
}

/** Whose position it is: the target's, else the key's own. */
function accountOf({ request: { target, key } }: Subject, set: ActiveSet): string | undefined {
  if (target !== undefined) return target
  const entry = set.keys.get(key.name)
  return entry && ownAccountOf(entry, set)
}
