import {
  addDecimals,
  type Decimal,
  formatDecimal,
  minDecimal,
  multiplyDecimals,
  zero,
} from "../../venue/decimal.ts"
import { type ActiveSet, type Acts, referencePrice } from "../active/active-set.ts"
import type { GuardedAccount } from "../guards/accounts.ts"
import {
  anchored,
  apart,
  type DayStarts,
  excessOf,
  hundredth,
  isAsRecorded,
  isPlausible,
  markedBy,
  type Marks,
} from "../guards/equity.ts"
import { mayHold, type Reading, type Worst } from "../guards/exposure.ts"
import { lossKind } from "../policy/guard-terms.ts"
import { marksFields } from "../ledger/records/guard-rows.ts"
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
  const applied = appliedTo(account, vault.active())
  const mapping = vault.active().profile.accountPoll?.mapping
  if (equity === undefined || applied.length === 0 || mapping === undefined) return
  const seen = { readAtMs, equity, mapping }
  const before = vault.active().marks.get(account.address)
  const prices = pricesNow(vault)
  const plausible = plausibleMove(account, { ...vault, prices, had: before?.equity ?? zero })
  if (!believe(account, { equity, had: before?.equity, plausible })) return
  account.last.prices = prices
  const days = dayStarts(applied, readAtMs)
  if (before === undefined) mark(anchored(seen, days), account, vault)
  else if (before.mapping === mapping && before.readAtMs <= readAtMs) {
    const { marks, deposit } = markedBy(before, seen, { days, plausible })
    if (deposit !== undefined || !isAsRecorded(before, marks)) {
      mark(marks, account, { ...vault, deposit })
    }
  }
  const over = applied.filter((each) => trip(each, account, { ...vault, readAtMs }))
  account.last.over = new Set(over.map(({ guard }) => fullName(guard)))
}

/** Has losses judged by an equity, or by the lower one while it is in doubt: what trading explains, or two readings say. */
function believe(
  { last }: GuardedAccount,
  {
    equity,
    had = equity,
    plausible,
  }: { equity: Decimal; had?: Decimal | undefined; plausible: Decimal },
): boolean {
  last.isDoubtful = !last.isDoubtful && !isPlausible(had, equity, plausible)
  last.equity = last.isDoubtful ? minDecimal(had, equity) : equity
  if (last.isDoubtful) last.over = new Set()
  return !last.isDoubtful
}

function mark(
  marks: Marks,
  account: GuardedAccount,
  { deposit, ...vault }: Following & { readonly deposit?: Decimal | undefined },
): void {
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
  { guard, keys }: Applied,
  account: GuardedAccount,
  { readAtMs, ...vault }: Following & { readonly readAtMs: number },
): boolean {
  const [set, nowMs, name] = [vault.active(), vault.now(), fullName(guard)]
  const { then, window } = guard.loss
  const loss = lossNow(guard, account, { set, nowMs })
  if (typeof loss === "string" || excessOf(loss.measured, loss.max).coefficient === 0n) return false
  const earlier = tripOf(guard, account, set)
  // One garbled number can't freeze: two readings in a row have to say so.
  const froze = then === "freeze" && earlier?.froze !== true && account.last.over.has(name)
  if (then === "refuse" || (earlier !== undefined && !froze)) return true
  const day = window.kind === "day" ? window.dayAt(readAtMs) : undefined
  const lost = formatDecimal(loss.measured)
  const of = { guard: name, account: account.address, bounds: lossKind(guard.loss) }
  const state = { ...of, since: earlier?.since ?? nowMs, until: day?.endMs ?? null, froze }
  record({ act: "guard_tripped", ...state, max: null, lost }, account, vault)
  if (!froze) return true
  const reason = `${account.name} has lost ${lost}, and ${formatDecimal(loss.max)} is allowed`
  for (const key of keys) {
    freezeBy(vault, { scope: "key", name: key }, { by: `guards/${name}`, reason })
  }
  return true
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
