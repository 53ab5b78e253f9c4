import type { Address } from "../../venue/address.ts"
import type { Clock } from "../clock.ts"
import {
  fitsAtMs,
  isEnough,
  nobody,
  roomIn,
  type BudgetAsk,
  type BudgetRoom,
  type BudgetTerms,
} from "./budget.ts"
import { openCountedRepeats, type CountedRepeats } from "./counted-repeats.ts"
import { rollingWindow, type RollingWindow } from "./rolling-window.ts"

export type BudgetScope = "address" | "ip"

/** The interface's "Limits": what all requests of an address, or of this machine, may weigh in a window. */
export const budgetMax = { address: 2_400, ip: 1_200 } as const satisfies Record<
  BudgetScope,
  number
>
/** Every POST weighs this against the IP budget. */
const ipWeight = 1

const venueWindowMs = 60_000
/**
 * By how much a request's way to the venue may take longer than another's: its record's commit, the
 * signature, the network. A weight counts for so much longer here than there, so that what fits here
 * fits there too.
 */
export const windowMarginMs = 500
/** For how long a weight counts here. */
export const budgetWindowMs = venueWindowMs + windowMarginMs
/**
 * One cancel an address in this time passes when its budget is spent: the venue's 1,000 ms, and a margin. So
 * does one request of each client that reduces risk when the IP budget is.
 */
export const reserveEveryMs = 1_100

/** What a request spends. What of a budget is `undefined` is neither asked nor counted. */
export type Spending = {
  readonly client: string
  /** `target_address`, or else the signer. */
  readonly address: Address
  readonly addressWeight: number
  /** It is of one of the endpoints that the venue has a reserve for. */
  readonly isCancel: boolean
  /** It is a cancel, or its orders are all reduce-only on perpetuals. */
  readonly reducesRisk: boolean
  /** Counted, and never stopped: what an operator or a panic asks for. */
  readonly isForced?: true
  readonly terms: Readonly<Record<BudgetScope, BudgetTerms | undefined>>
}

/** A budget that has no room for a request; `retryAfterMs` is `undefined` when it never has. */
export type Shortage = BudgetRoom & {
  readonly scope: BudgetScope
  readonly retryAfterMs: number | undefined
}

/** How a budget stands for one client. */
export type BudgetStand = {
  readonly max: number
  readonly used: number
  /** What of that is the client's own. */
  readonly own: number
  /** What its requests may weigh now, those that reduce risk apart. */
  readonly left: number
}

/**
 * The venue's rate budgets, kept here too, in memory and in monotonic time. No window is made of parts:
 * each weight counts exactly as long as it should.
 *
 * A cancel that the address budget has no room for takes the venue's reserve, if that is free. It counts in
 * the window too where the venue may still have had room for it.
 *
 * What the IP budget has no room for passes all the same if it reduces risk, for each client once in
 * `reserveEveryMs`: what others used up was perhaps never sent. The venue has no such reserve, so its limiter
 * may refuse that; of the rest only a repeat, which isn't counted each time.
 */
export type Budgets = {
  /** The budget that has no room now, the one that has none for longer first. Changes nothing. */
  shortage(spending: Spending): Shortage | undefined
  /** Counts a request, whether there is room for it or not. */
  count(spending: Spending): void
  /** Counts a repeat of a record unless there is no room; once it is counted, the next are free for the window's time. */
  countRepeat(record: string, spending: Spending): Shortage | undefined
  /** Counts a request of `ageMs` ago, of which isn't known what the venue made of it. */
  countEarlier(spending: Spending, ageMs: number): void
  /**
   * The venue said that a budget is spent, so all that is free of it counts as used. It never counts less, and
   * stops nothing that reduces risk: of that only an address's cancels heed it, whose reserve is open then.
   */
  fill(scope: BudgetScope, address: Address): void
  /** How the IP budget stands for a client, or an address's. */
  stand(client: string, terms: BudgetTerms, address: Address | undefined): BudgetStand
}

type State = {
  readonly nowMs: () => number
  readonly ip: RollingWindow
  readonly addresses: Map<Address, AddressBudget>
  /** By client, past the IP budget. */
  readonly ways: Map<string, Reserve>
  readonly repeats: CountedRepeats
}

type Reserve = { takenMs: number }
type AddressBudget = { readonly window: RollingWindow; readonly reserve: Reserve }

/** Starts with nothing used. */
export function openBudgets(clock: Pick<Clock, "monotonicMs">): Budgets {
  const state: State = {
    nowMs: clock.monotonicMs,
    ip: rollingWindow(budgetWindowMs),
    addresses: new Map(),
    ways: new Map(),
    repeats: openCountedRepeats(budgetWindowMs),
  }
  return {
    shortage: (spending) => shortage(state, spending),
    count: (spending) => count(state, spending),
    countRepeat: (record, spending) => countRepeat(state, record, spending),
    countEarlier(spending, ageMs) {
      const atMs = state.nowMs() - Math.max(0, ageMs)
      const { client, address, addressWeight, terms } = spending
      const earlier = { client, isCertain: false }
      if (terms.ip !== undefined) state.ip.add({ ...earlier, weight: ipWeight }, atMs)
      if (terms.address === undefined) return
      budgetOf(state, address).window.add({ ...earlier, weight: addressWeight }, atMs)
    },
    fill(scope, address) {
      const window = windowNow(state, scope, address)
      const weight = budgetMax[scope] - window.total()
      if (weight > 0) window.add({ client: nobody, weight, isCertain: false }, state.nowMs())
    },
    stand(client, terms, address) {
      const scope = address === undefined ? "ip" : "address"
      const window = windowNow(state, scope, address)
      const ask = { client, weight: 0, reducesRisk: false, heedsFill: true, terms }
      const { max, used, kept } = roomIn(window, budgetMax[scope], ask)
      return { max, used, own: window.totalOf(client), left: Math.max(0, max - used - kept) }
    },
  }
}

function shortage(state: State, spending: Spending): Shortage | undefined {
  if (spending.isForced === true) return undefined
  return (["ip", "address"] as const)
    .map((scope) => {
      const short = lack(state, scope, spending)
      return short && withReserve(short, reserveFor(spending, scope, state), state.nowMs())
    })
    .filter((each) => each !== undefined)
    .toSorted((a, b) => (b.retryAfterMs ?? Infinity) - (a.retryAfterMs ?? Infinity))[0]
}

function lack(state: State, scope: BudgetScope, spending: Spending): Shortage | undefined {
  const ask = askOf(spending, scope)
  if (ask === undefined) return undefined
  const window = windowNow(state, scope, spending.address)
  const room = roomIn(window, budgetMax[scope], ask)
  if (isEnough(room)) return undefined
  const atMs = fitsAtMs(window, budgetMax[scope], ask)
  return { ...room, scope, retryAfterMs: atMs === undefined ? undefined : atMs - state.nowMs() }
}

/** What there is a reserve for waits for that, if it comes first; `undefined` when it is free. */
function withReserve(
  short: Shortage,
  reserve: Reserve | undefined,
  nowMs: number,
): Shortage | undefined {
  if (reserve === undefined) return short
  const waitMs = reserve.takenMs + reserveEveryMs - nowMs
  if (waitMs <= 0) return undefined
  return { ...short, retryAfterMs: Math.min(waitMs, short.retryAfterMs ?? Infinity) }
}

function reserveFor(
  { client, address, isCancel, reducesRisk }: Spending,
  scope: BudgetScope,
  state: State,
): Reserve | undefined {
  if (scope === "address") return isCancel ? budgetOf(state, address).reserve : undefined
  if (!reducesRisk) return undefined
  const way = state.ways.get(client) ?? { takenMs: -Infinity }
  state.ways.set(client, way)
  return way
}

function count(state: State, spending: Spending): void {
  const { client, terms } = spending
  // What the venue may refuse for its IP budget it may not count for the address.
  const isCertain = isSure(state, "ip", spending) && isSure(state, "address", spending)
  if (terms.ip !== undefined) {
    takeReserve(state, "ip", spending)
    windowNow(state, "ip", undefined).add({ client, weight: ipWeight, isCertain }, state.nowMs())
  }
  if (terms.address !== undefined) countAddress(state, spending, isCertain)
}

function countAddress(state: State, spending: Spending, isCertain: boolean): void {
  const { client, address, addressWeight: weight } = spending
  const { window } = budgetOf(state, address)
  const nowMs = state.nowMs()
  if (takeReserve(state, "address", spending)) {
    // What the venue counts for certain when this arrives there: all of it came before, and none is over.
    const certain = window.certainAfter(nowMs + windowMarginMs - venueWindowMs)
    if (certain + weight > budgetMax.address) return
  }
  window.add({ client, weight, isCertain }, nowMs)
}

/** Takes a reserve for what a budget has no room for, and tells whether it did. */
function takeReserve(state: State, scope: BudgetScope, spending: Spending): boolean {
  if (lack(state, scope, spending) === undefined) return false
  const reserve = reserveFor(spending, scope, state)
  if (reserve === undefined) return false
  reserve.takenMs = state.nowMs()
  return true
}

/** Whether there is room also if all that the venue called spent is. */
function isSure(state: State, scope: BudgetScope, spending: Spending): boolean {
  const ask = askOf(spending, scope)
  if (ask === undefined) return true
  const window = windowNow(state, scope, spending.address)
  return isEnough(roomIn(window, budgetMax[scope], { ...ask, heedsFill: true }))
}

function countRepeat(state: State, record: string, spending: Spending): Shortage | undefined {
  const nowMs = state.nowMs()
  if (state.repeats.has(record, nowMs)) return undefined
  const short = shortage(state, spending)
  if (short !== undefined) return short
  count(state, spending)
  state.repeats.add(record, nowMs)
  return undefined
}

function askOf(spending: Spending, scope: BudgetScope): BudgetAsk | undefined {
  const { client, isCancel, reducesRisk, terms } = spending
  const ofScope = terms[scope]
  if (ofScope === undefined) return undefined
  const weight = scope === "ip" ? ipWeight : spending.addressWeight
  const heedsFill = !reducesRisk || (scope === "address" && isCancel)
  return { client, weight, reducesRisk, heedsFill, terms: ofScope }
}

function windowNow(state: State, scope: BudgetScope, address: Address | undefined): RollingWindow {
  const window =
    scope === "ip" || address === undefined ? state.ip : budgetOf(state, address).window
  window.moveTo(state.nowMs())
  return window
}

function budgetOf({ addresses }: State, address: Address): AddressBudget {
  const known = addresses.get(address)
  if (known !== undefined) return known
  const made = { window: rollingWindow(budgetWindowMs), reserve: { takenMs: -Infinity } }
  addresses.set(address, made)
  return made
}
