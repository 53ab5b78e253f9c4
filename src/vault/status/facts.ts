import type { Ending, Facts, LimitShare, Measures } from "../../contract/facts.ts"
import type { LimitUse } from "../../contract/bot-views.ts"
import type { BudgetUse } from "../../contract/views.ts"
import { version } from "../../std/version.ts"
import type { Address } from "../../venue/address.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { type BudgetScope, nobody } from "../budgets/budget.ts"
import type { Budgets } from "../budgets/budgets.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"
import { termsOf } from "../request/spending.ts"
import { endingsOf, keylessClients } from "./endings.ts"
import { accountAges, guardTrips } from "./guard-use.ts"
import { hasDrifted, isAgeing, isPriceUsable, listPrices } from "./fed-prices.ts"
import { waitingHolds } from "./holds.ts"
import { listLimits } from "./limit-use.ts"
import { signingNow } from "./signing.ts"
import type { StatusSources } from "./sources.ts"
import { ledgerBytes } from "./watch-disk.ts"

/** So many of what an operator names fit a line of the socket, beside all else. */
export const mostNamed = 100

/** How it stands, for who tells what of it is wrong. */
export function factsOf(sources: StatusSources): Facts {
  const [set, nowMs, differ] = [sources.active(), sources.now(), sources.differ()]
  const silence = [...(sources.ledger.replica?.silence() ?? [])]
  return {
    at: nowMs,
    ...sharedFacts(sources),
    reasons: reasonFacts(sources),
    prices: priceFacts(set, nowMs).slice(0, mostNamed),
    endings: soonestEndings(endingsOf(set, nowMs)),
    keyless: keylessClients(set, nowMs).slice(0, mostNamed),
    files_differ: differ === undefined ? null : { since: differ.sinceMs, fix: differ.fix },
    hosts: silence.map(([host, silent_ms]) => ({ host, silent_ms })),
    holds: waitingHolds(sources).map(({ id, client, key, operation, policy, rule }) => {
      return { id, client, key, operation, policy, rule }
    }),
  }
}

/** What the vault counts and times, for who writes metrics. */
export async function measuresOf(sources: StatusSources): Promise<Measures> {
  const { metrics, ledger, keyring } = sources
  const [set, nowMs, { signs, reasons }] = [sources.active(), sources.now(), signingNow(sources)]
  const keys = [...set.usableKeys.values()].map(({ name, role, approval, expires_at }) => {
    return { name, role, approval, expires_at, locked: keyring.isLocked(name) }
  })
  return {
    ...sharedFacts(sources),
    decisions: metrics.decisions.series(),
    stages: metrics.stages.read(),
    commits: ledger.commits.read(),
    signs,
    reasons: reasons.map(({ code, scope, name, signs: left }) => {
      return { code, scope, name, signs: left }
    }),
    frozen: frozenScopes(set).slice(0, mostNamed),
    keys: soonest(keys, ({ expires_at }) => expires_at),
    tokens: soonest(tokenEnds(set), ({ ends_at }) => ends_at),
    keyless: keylessClients(set, nowMs)
      .map(({ client }) => client)
      .slice(0, mostNamed),
    files_differ: sources.differ() !== undefined,
    holds_pending: ledger.holds(nowMs).filter(({ state }) => state === "pending").length,
    ledger_bytes: await ledgerBytes(sources.installation),
    prices: pricesInUse(set, nowMs),
    process: {
      ...{ version, node: process.versions.node, delay: metrics.loopDelay() },
      resident_bytes: process.memoryUsage.rss(),
    },
  }
}

function sharedFacts(sources: StatusSources) {
  const { disk, ledger, venueClock } = sources
  const set = sources.active()
  const { minFreeBytes: min_free_bytes } = set.config
  return {
    disk: { free_bytes: disk.freeBytes() ?? null, min_free_bytes },
    venue_ahead_ms: venueClock.aheadMs(),
    limits: limitShares(sources),
    accounts: accountAges(sources).slice(0, mostNamed),
    trips: guardTrips(sources).slice(0, mostNamed),
    budgets: budgetsNow(set, ledger.budgets).map(
      ({ scope, address, max, used, kept_for_cancels }) => {
        return { scope, address, max, used, kept_for_cancels }
      },
    ),
  }
}

/** Without what somebody wrote about them. */
function reasonFacts(sources: StatusSources): Facts["reasons"] {
  const { freezes } = sources.active()
  return signingNow(sources).reasons.map(({ code, scope, name, signs, message, fix }) => {
    const frozen = freezes.find((each) => each.scope === scope && each.name === name)
    const since = code === "frozen" ? (frozen?.since ?? null) : null
    return { code, scope, name, signs, message, fix, since }
  })
}

/** In their order; of too many those that end first, so that nothing that has ended is left out for what will. */
function soonestEndings(endings: readonly Ending[]): readonly Ending[] {
  const kept = new Set(soonest(endings, ({ at }) => at))
  return endings.filter((each) => kept.has(each))
}

/** A freeze of all comes first. */
function frozenScopes({ freezes }: ActiveSet): Measures["frozen"] {
  const scopes = freezes.map(({ scope, name }) => ({ scope, name }))
  return scopes.toSorted((a, b) => Number(a.name !== null) - Number(b.name !== null))
}

/** Those first that end first, and no more than fit. */
function soonest<Each>(all: readonly Each[], endOf: (each: Each) => number | null) {
  const end = (each: Each): number => endOf(each) ?? Number.MAX_VALUE
  return all.toSorted((a, b) => end(a) - end(b)).slice(0, mostNamed)
}

/** Of the tokens that do end. */
function tokenEnds({ clients }: ActiveSet): Measures["tokens"] {
  return clients.flatMap(({ name: client, token_hash, expires_at: ends_at }) =>
    token_hash === null || ends_at === undefined ? [] : [{ client, ends_at }],
  )
}

/** Those that somebody may have to look at. What waits for an operator's word is among what isn't signed. */
function priceFacts(set: ActiveSet, nowMs: LedgerTime): Facts["prices"] {
  return listPrices(set, nowMs)
    .filter(({ state }) => state !== "unconfirmed")
    .map((price) => ({
      symbol: price.symbol,
      is_ageing: isAgeing(price, nowMs),
      is_held_back: price.pending !== null,
      has_drifted: hasDrifted(price.symbol, set),
    }))
    .filter(({ is_ageing, is_held_back, has_drifted }) => is_ageing || is_held_back || has_drifted)
}

/** A symbol that never had a price isn't waited for. */
function pricesInUse(set: ActiveSet, nowMs: LedgerTime): Measures["prices"] {
  return listPrices(set, nowMs)
    .filter(({ state }) => state !== "none")
    .map((price) => ({
      ...{ symbol: price.symbol, as_of: price.as_of ?? 0 },
      is_usable: isPriceUsable(price),
    }))
    .toSorted((a, b) => Number(a.is_usable) - Number(b.is_usable))
    .slice(0, mostNamed)
}

/** A limit that is counted for many stands by the one that has used most of it; the fullest first. */
function limitShares(sources: StatusSources): readonly LimitShare[] {
  const most = new Map<string, LimitShare>()
  for (const use of listLimits(sources)) {
    const { policy, limit, mode } = use
    const name = [policy, limit, mode].join("/")
    const share = usedShare(use)
    if (share >= (most.get(name)?.share ?? 0)) most.set(name, { policy, limit, mode, share })
  }
  return fullest([...most.values()], ({ share }) => share)
}

/** What of a limit is used, 1 being all; of a limit of nothing all is used. */
export function usedShare({ used, max }: LimitUse): number {
  return Number(max) === 0 ? 1 : Number(used) / Number(max)
}

/** Those of a key's address and targets, and the IP's; but for those that are off. */
export function budgetsNow(set: ActiveSet, budgets: Budgets): readonly BudgetUse[] {
  const stand = (scope: BudgetScope, address: Address | undefined): readonly BudgetUse[] => {
    const terms = termsOf(scope, address, set)
    if (terms === undefined) return []
    const { max, used } = budgets.stand(nobody, terms, address)
    const shares = [...terms.keptFor].map(([client, kept]) => {
      return { client, kept, used: budgets.stand(client, terms, address).own }
    })
    const kept_for_cancels = terms.keptForCancels
    return [{ scope, address: address ?? null, max, used, kept_for_cancels, shares }]
  }
  const ofAddresses = addressesOf(set).flatMap((address) => stand("address", address))
  return [...stand("ip", undefined), ...fullest(ofAddresses, ({ used }) => used)]
}

function addressesOf({ usableKeys }: ActiveSet): readonly Address[] {
  const using: readonly KeyEntry[] = [...usableKeys.values()]
  return [...new Set(using.flatMap(({ address, targets }) => [address, ...targets]))]
}

/** Those with the least room first, and no more than fit. */
export function fullest<Each>(all: readonly Each[], used: (each: Each) => number): readonly Each[] {
  return all.toSorted((a, b) => used(b) - used(a)).slice(0, mostNamed)
}
