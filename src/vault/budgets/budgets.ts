import type { Address } from "../../venue/address.ts"
import type { Clock } from "../process/clock.ts"
import {
  budgetMax,
  isEnough,
  nobody,
  roomIn,
  venueWindowMs,
  windowMarginMs,
  type BudgetTerms,
  type BudgetScope,
  fitsAtMs,
  openReserve,
  type Reserve,
  budgetWindowMs,
  type BudgetAsk,
} from "./budget.ts"
import {
  openCountedRepeats,
  type CountedRepeats,
  rollingWindow,
  type RollingWindow,
} from "./rolling-window.ts"
import type { Shortage } from "./shortage.ts"
import type { Spending } from "./spending.ts"

/** How a budget stands for one client. */
export type BudgetStand = {
  readonly max: number
  readonly used: number
  /** What of that is the client's own. */
  readonly own: number
  /** What its requests may weigh now, those that reduce risk apart. */
  readonly left: number
  /** When the oldest of what is used stops counting; `undefined` when nothing is. */
  readonly freesInMs: number | undefined
}

/**
 * The venue's rate budgets, kept here too, in memory and in monotonic time. No window is made of parts:
 * each weight counts exactly as long as it should.
 *
 * A cancel that the address budget has no room for takes the venue's reserve, if that is free and no other client's
 * turn. It counts in the window too where the venue may still have had room for it.
 *
 * What the IP budget has no room for passes all the same if it reduces risk, for each client once in
 * `reserveEveryMs`: what others used up was perhaps never sent. The venue has no such reserve, so its limiter
 * may refuse that; of the rest only a repeat, which isn't counted each time.
 */
export type Budgets = {
  /** The budget that has no room now, the one that has none for longer first. Changes nothing. */
  shortage(spending: Spending): Shortage | undefined
  /** The same for a request that is refused then: its client waits for its turn at the address's reserve. */
  ask(spending: Spending): Shortage | undefined
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
  fill(scope: BudgetScope, address: Address | undefined): void
  /** How the IP budget stands for a client, or an address's. */
  stand(client: string, terms: BudgetTerms, address: Address | undefined): BudgetStand
}

/** Starts with nothing used. */
export function openBudgets(clock: Pick<Clock, "monotonicMs">): Budgets {
  const state = openBudgetState(clock.monotonicMs)
  return {
    shortage: (spending) => shortages(state, spending)[0],
    ask: (spending) => ask(state, spending),
    count: (spending) => count(state, spending),
    countRepeat: (record, spending) => countRepeat(state, record, spending),
    countEarlier(spending, ageMs) {
      const atMs = state.nowMs() - Math.max(0, ageMs)
      const { client, address, addressWeight, ipWeight, terms } = spending
      const earlier = { client, isCertain: false }
      if (terms.ip !== undefined) state.ip.add({ ...earlier, weight: ipWeight }, atMs)
      if (terms.address === undefined) return
      windowOf(state, address).add({ ...earlier, weight: addressWeight }, atMs)
    },
    fill(scope, address) {
      const window = windowNow(state, scope, address)
      const weight = budgetMax[scope] - window.total()
      if (weight > 0) window.add({ client: nobody, weight, isCertain: false }, state.nowMs())
    },
    stand: (client, terms, address) => stand(state, { client, terms, address }),
  }
}

function stand(
  state: BudgetState,
  {
    client,
    terms,
    address,
  }: {
    readonly client: string
    readonly terms: BudgetTerms
    readonly address: Address | undefined
  },
): BudgetStand {
  const scope = address === undefined ? "ip" : "address"
  const window = windowNow(state, scope, address)
  const ask = { client, weight: 0, lane: "open", heedsFill: true, terms } as const
  const { max, used, kept } = roomIn(window, budgetMax[scope], ask)
  const [oldest] = window.ends()
  return {
    ...{ max, used, own: window.totalOf(client), left: Math.max(0, max - used - kept) },
    freesInMs: oldest && oldest.untilMs - state.nowMs(),
  }
}

function ask(state: BudgetState, spending: Spending): Shortage | undefined {
  const all = shortages(state, spending)
  for (const { scope } of all) {
    reserveFor(spending, scope, state)?.refuse(spending.client, state.nowMs())
  }
  return all[0]
}

function count(state: BudgetState, spending: Spending): void {
  const { client, ipWeight, terms } = spending
  // What the venue may refuse for its IP budget it may not count for the address.
  const isCertain = isSure(state, "ip", spending) && isSure(state, "address", spending)
  if (terms.ip !== undefined) {
    takeReserve(state, "ip", spending)
    windowNow(state, "ip", undefined).add({ client, weight: ipWeight, isCertain }, state.nowMs())
  }
  if (terms.address !== undefined) countAddress(state, spending, isCertain)
}

function countAddress(state: BudgetState, spending: Spending, isCertain: boolean): void {
  const { client, address, addressWeight: weight } = spending
  const window = windowOf(state, address)
  const nowMs = state.nowMs()
  if (takeReserve(state, "address", spending)) {
    // What the venue counts for certain when this arrives there: all of it came before, and none is over.
    const certain = window.certainAfter(nowMs + windowMarginMs - venueWindowMs)
    if (certain + weight > budgetMax.address) return
  }
  window.add({ client, weight, isCertain }, nowMs)
}

/** Takes a reserve for what a budget has no room for, and tells whether it did. */
function takeReserve(state: BudgetState, scope: BudgetScope, spending: Spending): boolean {
  if (hasRoom(state, scope, spending)) return false
  const reserve = reserveFor(spending, scope, state)
  reserve?.take(spending.client, state.nowMs())
  return reserve !== undefined
}

function hasRoom(state: BudgetState, scope: BudgetScope, spending: Spending): boolean {
  const ask = askOf(spending, scope)
  if (ask === undefined) return true
  const window = windowNow(state, scope, spending.address)
  return isEnough(roomIn(window, budgetMax[scope], ask))
}

/** Whether there is room also if all that the venue called spent is. */
function isSure(state: BudgetState, scope: BudgetScope, spending: Spending): boolean {
  const ask = askOf(spending, scope)
  if (ask === undefined) return true
  const window = windowNow(state, scope, spending.address)
  return isEnough(roomIn(window, budgetMax[scope], { ...ask, heedsFill: true }))
}

function countRepeat(state: BudgetState, record: string, spending: Spending): Shortage | undefined {
  const nowMs = state.nowMs()
  if (state.repeats.has(record, nowMs)) return undefined
  const short = ask(state, spending)
  if (short !== undefined) return short
  count(state, spending)
  state.repeats.add(record, nowMs)
  return undefined
}

/** The budgets that have no room for a request, the one that has none for longer first. */
function shortages(state: BudgetState, spending: Spending): readonly Shortage[] {
  if (spending.isForced === true) return []
  return (["ip", "address"] as const)
    .map((scope) => shortageIn(state, spending, scope))
    .filter((each) => each !== undefined)
    .toSorted((a, b) => (b.retryAfterMs ?? Infinity) - (a.retryAfterMs ?? Infinity))
}

/** What there is a reserve for waits for that, if it comes first. */
function shortageIn(
  state: BudgetState,
  spending: Spending,
  scope: BudgetScope,
): Shortage | undefined {
  const ask = askOf(spending, scope)
  if (ask === undefined) return undefined
  const window = windowNow(state, scope, spending.address)
  const room = roomIn(window, budgetMax[scope], ask)
  if (isEnough(room)) return undefined
  const nowMs = state.nowMs()
  const reserve = reserveFor(spending, scope, state)
  const reserveAtMs = reserve?.freeAtMs(spending.client, nowMs) ?? Infinity
  if (reserveAtMs <= nowMs) return undefined
  const atMs = Math.min(fitsAtMs(window, budgetMax[scope], ask) ?? Infinity, reserveAtMs)
  return { ...room, scope, retryAfterMs: atMs === Infinity ? undefined : atMs - nowMs }
}

/** What is used of the venue's budgets. */
export type BudgetState = {
  readonly nowMs: () => number
  readonly ip: RollingWindow
  readonly addresses: Map<Address | undefined, RollingWindow>
  readonly reserves: Map<string, Reserve>
  readonly repeats: CountedRepeats
}

/** Starts with nothing used. */
function openBudgetState(nowMs: () => number): BudgetState {
  return {
    nowMs,
    ip: rollingWindow(budgetWindowMs),
    addresses: new Map(),
    reserves: new Map(),
    repeats: openCountedRepeats(budgetWindowMs),
  }
}

/** A budget's window without what has stopped counting: of no address it is the IP's. */
function windowNow(
  state: BudgetState,
  scope: BudgetScope,
  address: Address | undefined,
): RollingWindow {
  const window = scope === "ip" || address === undefined ? state.ip : windowOf(state, address)
  window.moveTo(state.nowMs())
  return window
}

/** The window of an address. */
export function windowOf({ addresses }: BudgetState, address: Address | undefined): RollingWindow {
  const known = addresses.get(address)
  if (known !== undefined) return known
  const made = rollingWindow(budgetWindowMs)
  addresses.set(address, made)
  return made
}

/** The reserve that a request may take where a budget has no room. */
function reserveFor(
  spending: Spending,
  scope: BudgetScope,
  { reserves }: BudgetState,
): Reserve | undefined {
  const name = reserveName(spending, scope)
  if (name === undefined) return undefined
  const reserve = reserves.get(name) ?? openReserve()
  reserves.set(name, reserve)
  return reserve
}

/** Its address's for cancels, or its client's way past the IP budget. */
function reserveName({ client, address, lane }: Spending, scope: BudgetScope): string | undefined {
  if (scope === "address") return lane === "cancel" ? `address ${address}` : undefined
  return lane === "open" ? undefined : `ip ${client}`
}

/** What a request asks of a budget; `undefined` where it is off. */
export function askOf(spending: Spending, scope: BudgetScope): BudgetAsk | undefined {
  const { client, lane, terms, ipWeight, addressWeight } = spending
  const ofScope = terms[scope]
  if (ofScope === undefined) return undefined
  const weight = scope === "ip" ? ipWeight : addressWeight
  const heedsFill = lane === "open" || (scope === "address" && lane === "cancel")
  return { client, weight, lane, heedsFill, terms: ofScope }
}
