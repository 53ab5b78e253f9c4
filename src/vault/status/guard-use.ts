import type { GuardUse } from "../../contract/bot-views.ts"
import type { AccountAge, Facts } from "../../contract/facts.ts"
import { type Decimal, formatDecimal } from "../../venue/decimal.ts"
import { type ActiveSet, heldPrice, referencePrice, ownAccountOf } from "../active/active-set.ts"
import type { GuardedAccount } from "../guards/accounts.ts"
import type { Parts } from "../guards/exposure.ts"
import { boundsOf, roomOf } from "../guards/guard.ts"
import type { Loss } from "../guards/loss.ts"
import { sizingPrice, symbolText } from "../policy/match/judged-request.ts"
import type { PlacedGuard } from "../policy/guard-terms.ts"
import { boundsLoss, fullName, lossStanding, tripOf } from "../request/guard-losses.ts"
import { guardsFor } from "../request/guard-request.ts"
import type { StatusSources } from "./sources.ts"

/** So many fit a line of the socket, beside limits and budgets. */
const mostTold = 300

/** What each guard leaves of each account that is traded under it: by a client, or by any. */
export function guardUses(sources: StatusSources, client?: string): readonly GuardUse[] {
  const set = sources.active()
  const trades = tradesOf(set).filter((trade) => client === undefined || trade.client === client)
  return set.policies
    .flatMap(({ guards }) => guards)
    .flatMap((guard) => {
      const under = trades.filter(({ guards }) => guards.includes(guard))
      return accountsIn(under, sources).flatMap((account) => usesOf(guard, account, sources))
    })
    .slice(0, mostTold)
}

function usesOf(
  placed: PlacedGuard,
  guarded: GuardedAccount,
  sources: StatusSources,
): readonly GuardUse[] {
  const { policy, name: guard, file, line } = placed
  const { name: account_name, address: account } = guarded
  const set = sources.active()
  const by = { set, nowMs: sources.now() }
  const { loss, ...stand } = standOf(lossStanding(placed, guarded, by))
  const read_at = guarded.exposure.reading()?.askedAtMs ?? null
  return boundsNow(placed, { guarded, loss }, sources)
    .filter(({ of, side }) => of.measure !== "gross" || side === "long")
    .map(({ of: { kind, measure = null, symbolId }, side = null, max, parts }) => ({
      ...{ policy, guard, file, line, account, account_name, kind, measure },
      symbol: symbolId === undefined ? null : symbolText(symbolId, set.profile.symbols),
      side: measure === "gross" ? null : side,
      ...figuresOf(parts, max),
      read_at,
      ...stand,
    }))
}

/** How a guard stands for an account, where it bounds losses. */
function standOf(standing: ReturnType<typeof lossStanding>) {
  const none = { loss: undefined, tripped_at: null, loss_unknown: null, rearmed_until: null }
  if (standing === undefined) return none
  const loss = standing.loss()
  return {
    loss: known(loss),
    tripped_at: standing.trip?.since ?? null,
    loss_unknown: typeof loss === "string" ? loss : null,
    rearmed_until: standing.allowance?.until ?? null,
  }
}

function boundsNow(
  placed: PlacedGuard,
  {
    guarded: { exposure },
    loss,
  }: { readonly guarded: GuardedAccount; readonly loss: Loss | undefined },
  sources: StatusSources,
) {
  const worst = known(exposure.worst([]))
  const named = placed.maxPosition?.bySymbol.keys() ?? []
  const symbols = new Set([...named, ...(worst?.symbols() ?? [])])
  const sides = [...symbols].flatMap((symbolId) =>
    (["long", "short"] as const).map((side) => ({ symbolId, side })),
  )
  return [...boundsOf(placed, { worst, sides, loss, referencePrice: priceNow(sources) })]
}

/** Nothing of what only says why it isn't known. */
function known<Value extends object>(told: Value | string | undefined): Value | undefined {
  return typeof told === "string" ? undefined : told
}

function figuresOf(parts: Parts | undefined, max: Decimal | undefined) {
  const most = max === undefined ? null : formatDecimal(max)
  if (parts === undefined || max === undefined) {
    return { max: most, measured: null, in_flight: null, room: null }
  }
  const { measured, inFlight } = parts
  return {
    max: most,
    measured: formatDecimal(measured),
    in_flight: formatDecimal(inFlight),
    room: formatDecimal(roomOf(parts, max)),
  }
}

function priceNow({ active, now }: StatusSources) {
  const [set, nowMs] = [active(), now()]
  return sizingPrice({
    referencePrice: (symbolId) => referencePrice(symbolId, set, nowMs),
    heldPrice: (symbolId) => heldPrice(symbolId, set),
  })
}

/** For longer than nothing happens, and this, no account goes unread. */
const lateMs = 60_000

/** How long ago each account that is traded under a guard was read, and whether that showed more than could be. */
export function accountAges(sources: StatusSources): readonly AccountAge[] {
  const [set, nowMs] = [sources.active(), sources.now()]
  const mostMs = (set.profile.accountPoll?.idleMs ?? 0) + lateMs
  const under = tradesOf(set).filter(({ guards }) => guards.length > 0)
  return accountsIn(under, sources).map(({ name: account, exposure, sinceMs }) => {
    const unread_ms = nowMs - (exposure.reading()?.askedAtMs ?? sinceMs)
    const seen = exposure.contradiction()
    const contradiction = seen ? { at: seen.askedAtMs, is_open: seen.isOpen } : null
    return { account, unread_ms, is_late: unread_ms > mostMs, contradiction }
  })
}

/** Guards on losses after which nothing opens. */
export function guardTrips(sources: StatusSources): Facts["trips"] {
  const set = sources.active()
  const guards = set.policies.flatMap((policy) => policy.guards.filter(boundsLoss))
  return guards.flatMap((guard) =>
    [...sources.accounts.values()].flatMap((account) => {
      const trip = tripOf(guard, account, set)
      return trip ? [{ guard: fullName(guard), account: account.name, since: trip.since }] : []
    }),
  )
}

function accountsIn(trades: readonly Trade[], { accounts }: StatusSources) {
  const addresses = new Set(trades.map(({ account }) => account))
  return [...addresses].flatMap((address) => accounts.get(address) ?? [])
}

/** That a client can trade an account with a key, and the guards that it is under then. */
type Trade = {
  readonly client: string
  readonly key: string
  readonly account: string
  readonly guards: readonly PlacedGuard[]
}

/** Of all clients that have a token; none where no policy has a guard. */
export function tradesOf(set: ActiveSet): readonly Trade[] {
  if (set.policies.every(({ guards }) => guards.length === 0)) return []
  const clients = set.clients.filter(({ token_hash }) => token_hash !== null)
  return clients.flatMap(({ name: client, keys }) =>
    keys
      .flatMap((key) => set.usableKeys.get(key) ?? [])
      .flatMap((key) => {
        const guards = guardsFor({ client, key }, set)
        const accounts = [ownAccountOf(key, set) ?? [], key.targets].flat()
        return accounts.map((account) => ({ client, key: key.name, account, guards }))
      }),
  )
}
