import {
  addDecimals,
  compareDecimals,
  type Decimal,
  formatDecimal,
  minDecimal,
  multiplyDecimals,
} from "../../venue/decimal.ts"
import { type ActiveSet, type Acts, referencePrice } from "../active/active-set.ts"
import type { GuardedAccount } from "../guards/accounts.ts"
import {
  anchored,
  apart,
  type DayStarts,
  hundredth,
  isAsRecorded,
  isPlausible,
  markedBy,
  type Marks,
  type SeenEquity,
} from "../guards/equity.ts"
import { isWithin, type Loss } from "../guards/loss.ts"
import { mayHold, type Reading, type Worst } from "../guards/exposure.ts"
import { type GuardState, marksFields } from "../ledger/records/guard-rows.ts"
import type { Act } from "../ledger/records/row.ts"
import { log, logFailure } from "../process/log.ts"
import { boundsLoss, fullName, lossNow, type LossGuard, tripOf } from "../request/guard-losses.ts"
import { tradesOf } from "../status/guard-use.ts"
import { freezeBy } from "../watch/auto-freeze.ts"

type Following = Pick<Acts, "active" | "act" | "now">

/** A guard on losses, and the keys with which the account is traded under it. */
type Applied = { readonly guard: LossGuard; readonly keys: readonly string[] }

/**
 * Follows what a reading says of an account's equity, where a guard bounds its losses: moves the marks that losses are
 * counted from, and trips guards. Both are in force at once, and recorded before anything is signed by them. What trading
 * doesn't explain does neither until the next reading doesn't either: until then the lower equity is judged by.
 *
 * `worst`: what the account could come to before it.
 */
export function followEquity(
  account: GuardedAccount,
  { equity, askedAtMs: readAtMs }: Reading,
  vault: Following & { readonly worst: Worst | undefined },
): void {
  const set = vault.active()
  const applied = appliedTo(account, set)
  const mapping = set.profile.accountPoll?.mapping
  if (equity === undefined || applied.length === 0 || mapping === undefined) return
  const days = dayStarts(applied, readAtMs)
  if (!follow(account, { readAtMs, equity, mapping }, { ...vault, days })) return
  const over = applied.filter((each) => trip(each, account, { ...vault, readAtMs }))
  account.last.over = new Set(over.map(({ guard }) => fullName(guard)))
}

/** Moves the marks, if the equity is believed: whether it is. */
function follow(
  account: GuardedAccount,
  seen: SeenEquity,
  vault: Following & { readonly worst: Worst | undefined; readonly days: DayStarts },
): boolean {
  const recorded = vault.active().marks.get(account.address)
  const had = lastKnown(account, recorded) ?? seen.equity
  const prices = pricesNow(vault)
  const plausible = plausibleMove(account, { worst: vault.worst, prices, had })
  if (!believe(account, seen, { had, plausible })) return false
  account.last.prices = prices
  const moved = movedMarks(recorded, seen, { days: vault.days, plausible, had })
  if (moved !== undefined) mark(moved, account, vault)
  return true
}

/** What is recorded may be a thousandth off; what another host read later is not known otherwise. */
function lastKnown({ last }: GuardedAccount, recorded: Marks | undefined): Decimal | undefined {
  const isNewer = recorded !== undefined && recorded.readAtMs > last.readAtMs
  return isNewer ? recorded.equity : (last.believed ?? recorded?.equity)
}

/**
 * Has losses judged by an equity, or by the lowest while it is in doubt: it is believed where trading explains it, or it is the
 * second in a row that is off on the same side.
 */
function believe(
  { last, poll }: GuardedAccount,
  { equity, readAtMs }: SeenEquity,
  { had, plausible }: { readonly had: Decimal; readonly plausible: Decimal },
): boolean {
  const side = isPlausible(had, equity, plausible) ? undefined : sideOf(equity, had)
  const isBelieved = side === undefined || side === last.doubt
  const lowest = minDecimal(equity, minDecimal(had, last.equity ?? had))
  last.equity = isBelieved ? equity : lowest
  last.doubt = isBelieved ? undefined : side
  last.readAtMs = readAtMs
  if (isBelieved) last.believed = equity
  else Object.assign(last, { over: new Set() })
  poll.isWanted ||= !isBelieved
  return isBelieved
}

function sideOf(equity: Decimal, had: Decimal): "above" | "below" {
  return compareDecimals(equity, had) > 0 ? "above" : "below"
}

type Moved = Pick<ReturnType<typeof markedBy>, "marks" | "deposit">

/** What is to be recorded of a reading; nothing by lines that mean something else by equity, until a person anchors it. */
function movedMarks(
  recorded: Marks | undefined,
  seen: SeenEquity,
  { had, ...by }: Parameters<typeof markedBy>[2] & { readonly had: Decimal },
): Moved | undefined {
  if (recorded === undefined) return { marks: anchored(seen, by.days), deposit: undefined }
  if (recorded.mapping !== seen.mapping || recorded.readAtMs > seen.readAtMs) return undefined
  const moved = markedBy({ ...recorded, equity: had }, seen, by)
  return moved.deposit === undefined && isAsRecorded(recorded, moved.marks) ? undefined : moved
}

function mark({ marks, deposit }: Moved, account: GuardedAccount, vault: Following): void {
  if (deposit !== undefined) log({ level: "warn", event: "account_deposit", message: account.name })
  const paid = deposit && { deposit: formatDecimal(deposit) }
  record({ act: "account_marked", ...marksFields(account.address, marks), ...paid }, account, vault)
}

/** The guards on losses under which an account is traded. */
export function appliedTo({ address }: GuardedAccount, set: ActiveSet): readonly Applied[] {
  const trades = tradesOf(set).filter(({ account }) => account === address)
  const guards = new Set(trades.flatMap((trade) => trade.guards.filter(boundsLoss)))
  return [...guards].map((guard) => {
    const under = trades.filter((trade) => trade.guards.includes(guard))
    return { guard, keys: [...new Set(under.map(({ key }) => key))] }
  })
}

/** When the days of a reading began, in the zones that guards count by. */
export function dayStarts(applied: readonly Pick<Applied, "guard">[], atMs: number): DayStarts {
  const days = applied.flatMap(({ guard: { loss } }) => {
    const { window } = loss
    const day = window.kind === "day" ? window.dayAt(atMs) : undefined
    return window.kind === "day" && day ? [[window.zone, day.startMs] as const] : []
  })
  return new Map(days)
}

/** The reference price is of another moment than the venue's own. */
const ofPrice: Decimal = { coefficient: 5n, scale: 3 }

function pricesNow({ active, now }: Following): ReadonlyMap<number, Decimal> {
  const [set, nowMs] = [active(), now()]
  return new Map(
    set.profile.symbols.byId.keys().flatMap((symbolId) => {
      const price = referencePrice(symbolId, set, nowMs)
      return price === undefined ? [] : [[symbolId, price] as const]
    }),
  )
}

/**
 * How far trading can have moved what an account has since its last reading: a little of what it `had`, and what prices did to
 * the largest position that there may have been.
 */
function plausibleMove(
  { last }: GuardedAccount,
  ask: {
    readonly worst: Worst | undefined
    readonly had: Decimal
    readonly prices: ReadonlyMap<number, Decimal>
  },
): Decimal {
  const { worst, had, prices } = ask
  let sum = multiplyDecimals(had, hundredth)
  for (const symbolId of worst?.symbols() ?? []) {
    const price = prices.get(symbolId)
    if (worst === undefined || price === undefined) continue
    const moved = apart(price, last.prices.get(symbolId) ?? price)
    const perUnit = addDecimals(moved, multiplyDecimals(price, ofPrice))
    sum = addDecimals(sum, multiplyDecimals(mayHold(worst, symbolId).now, perUnit))
  }
  return sum
}

/** Trips a guard that the account has lost too much for, and freezes: whether it has. */
function trip(
  applied: Applied,
  account: GuardedAccount,
  vault: Following & { readonly readAtMs: number },
): boolean {
  const { guard } = applied
  const [set, nowMs] = [vault.active(), vault.now()]
  const loss = lossNow(guard, account, { set, nowMs })
  if (typeof loss === "string" || isWithin(loss)) return false
  const earlier = tripOf(guard, account, set)
  const froze = freezesNow(guard, account, earlier)
  const isNews = earlier === undefined || froze
  if (guard.loss.then !== "refuse" && isNews) {
    tellTrip(applied, account, { ...vault, loss, since: earlier?.since ?? nowMs, froze })
  }
  return true
}

function tellTrip(
  { guard, keys }: Applied,
  account: GuardedAccount,
  told: Following & {
    readonly loss: Loss
    readonly readAtMs: number
    readonly since: number
    readonly froze: boolean
  },
): void {
  const { loss, readAtMs, since, froze } = told
  const [name, lost] = [fullName(guard), formatDecimal(loss.measured)]
  const of = { guard: name, account: account.address, bounds: guard.loss.kind }
  const state = { ...of, since, until: dayEnd(guard, readAtMs), froze }
  record({ act: "guard_tripped", ...state, max: null, lost }, account, told)
  const reason = `${account.name} has lost ${lost}, and ${formatDecimal(loss.max)} is allowed`
  for (const key of froze ? keys : []) {
    freezeBy(told, { scope: "key", name: key }, { by: `guards/${name}`, reason })
  }
}

/** One garbled number can't freeze: two readings in a row have to say so. */
function freezesNow(
  guard: LossGuard,
  { last }: GuardedAccount,
  earlier: GuardState | undefined,
): boolean {
  return guard.loss.then === "freeze" && earlier?.froze !== true && last.over.has(fullName(guard))
}

/** When the day of a time ends by which a guard counts; `null` where it counts by none. */
export function dayEnd({ loss: { window } }: LossGuard, atMs: number): number | null {
  return window.kind === "day" ? (window.dayAt(atMs)?.endMs ?? null) : null
}

/** In force at once. What can't be recorded is told once, and tried again with the next reading. */
function record(act: Act, { last }: GuardedAccount, { act: say }: Following): void {
  say(act).then(
    () => (last.failed = false),
    (error: unknown) => {
      if (!last.failed) logFailure("guard_not_recorded", error)
      last.failed = true
    },
  )
}
