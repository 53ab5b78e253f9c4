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
  type Shortage,
  type Spending,
  openCountedRepeats,
  rollingWindow,
  type RollingWindow,
} from "./budget.ts"

/**
 * Our copy of the venue's rate budgets, in memory and in monotonic time. Windows roll: each weight counts for
 * exactly its time.
 *
 * When the address budget has no room for a cancel, the cancel takes the venue's reserve, if that is free and it
 * isn't another client's turn. It counts in the window too if the venue may still have had room for it.
 *
 * When the IP budget has no room, a request that reduces risk passes anyway, once per client in `reserveEveryMs`:
 * what others used was perhaps never sent. The venue has no such reserve and may refuse the request. Apart from
 * these it can refuse only repeats, which aren't counted each time.
 */
export type Budgets = ReturnType<typeof openBudgets>

/** Starts with nothing used. */
export function openBudgets(clock: Pick<Clock, "monotonicMs">) {
  const state: BudgetState = {
    nowMs: clock.monotonicMs,
    ip: rollingWindow(budgetWindowMs),
    addresses: new Map(),
    reserves: new Map(),
    repeats: openCountedRepeats(budgetWindowMs),
  }
  return {
    /** The budget that has no room now, the one that has none for longer first. Changes nothing. */
    shortage: (spending: Spending) => shortages(state, spending)[0],
    /** Like `shortage`, for a request that is then refused: its client waits for a turn at the address's reserve. */
    ask: (spending: Spending) => ask(state, spending),
    /** Counts a request even if there is no room for it. */
    count: (spending: Spending) => count(state, spending),
    /** Counts a repeat of a record, if there is room. Further repeats within the window are free. */
    countRepeat: (record: string, spending: Spending) => countRepeat(state, record, spending),
    /** Counts a request from `ageMs` ago whose result at the venue isn't known. */
    countEarlier(spending: Spending, ageMs: number): void {
      const atMs = state.nowMs() - Math.max(0, ageMs)
      const { client, address, addressWeight, ipWeight, terms } = spending
      const earlier = { client, isCertain: false }
      if (terms.ip !== undefined) state.ip.add({ ...earlier, weight: ipWeight }, atMs)
      if (terms.address === undefined) return
      windowOf(state, address).add({ ...earlier, weight: addressWeight }, atMs)
    },
    /**
     * The venue said that a budget is spent, so its free part counts as used. Requests that reduce risk ignore
     * this, except cancels on an address's budget: for them the reserve is open then.
     */
    fill(scope: BudgetScope, address: Address | undefined): void {
      const window = windowNow(state, scope, address)
      const weight = budgetMax[scope] - window.total()
      if (weight > 0) window.add({ client: nobody, weight, isCertain: false }, state.nowMs())
    },
    /** The state of the IP budget or of an address's budget, for a client. */
    stand(client: string, terms: BudgetTerms, address: Address | undefined) {
      const window = windowNow(state, address === undefined ? "ip" : "address", address)
      const asked = { client, weight: 0, lane: "open", heedsFill: true, terms } as const
      const { max, used, kept } = roomIn(window, asked)
      const [oldest] = window.ends()
      return {
        ...{ max, used },
        /** The client's own part of that. */
        own: window.totalOf(client),
        /** The weight that its requests may use now. Requests that reduce risk may use more. */
        left: Math.max(0, max - used - kept),
        /** When the oldest weight stops counting; `undefined` when nothing is used. */
        freesInMs: oldest && oldest.untilMs - state.nowMs(),
      }
    },
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
  // If the venue refuses it for the IP budget, it may not count it for the address.
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
    // The weight that the venue certainly still counts when this arrives.
    const certain = window.certainAfter(nowMs + windowMarginMs - venueWindowMs)
    if (certain + weight > budgetMax.address) return
  }
  window.add({ client, weight, isCertain }, nowMs)
}

/** Takes a reserve for a request that a budget has no room for. Returns whether it did. */
function takeReserve(state: BudgetState, scope: BudgetScope, spending: Spending): boolean {
  const ask = askOf(spending, scope)
  if (ask === undefined) return false
  if (isEnough(roomIn(windowNow(state, scope, spending.address), ask))) return false
  const reserve = reserveFor(spending, scope, state)
  reserve?.take(spending.client, state.nowMs())
  return reserve !== undefined
}

/** Whether there is room even if everything that the venue called spent is spent. */
function isSure(state: BudgetState, scope: BudgetScope, spending: Spending): boolean {
  const ask = askOf(spending, scope)
  if (ask === undefined) return true
  const window = windowNow(state, scope, spending.address)
  return isEnough(roomIn(window, { ...ask, heedsFill: true }))
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

/** If the request may use a reserve that is free earlier, it waits for that. */
function shortageIn(
  state: BudgetState,
  spending: Spending,
  scope: BudgetScope,
): Shortage | undefined {
  const ask = askOf(spending, scope)
  if (ask === undefined) return undefined
  const window = windowNow(state, scope, spending.address)
  const room = roomIn(window, ask)
  if (isEnough(room)) return undefined
  const nowMs = state.nowMs()
  const reserve = reserveFor(spending, scope, state)
  const reserveAtMs = reserve?.freeAtMs(spending.client, nowMs) ?? Infinity
  if (reserveAtMs <= nowMs) return undefined
  const atMs = Math.min(fitsAtMs(window, ask) ?? Infinity, reserveAtMs)
  return { ...room, scope, retryAfterMs: atMs === Infinity ? undefined : atMs - nowMs }
}

/** The used part of the venue's budgets. */
type BudgetState = {
  readonly nowMs: () => number
  readonly ip: RollingWindow
  readonly addresses: Map<Address | undefined, RollingWindow>
  readonly reserves: Map<string, Reserve>
  readonly repeats: ReturnType<typeof openCountedRepeats>
}

/** A budget's window, without weights that no longer count. No address means the IP's. */
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
function windowOf({ addresses }: BudgetState, address: Address | undefined): RollingWindow {
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
function askOf(spending: Spending, scope: BudgetScope): BudgetAsk | undefined {
  const { client, lane, terms, ipWeight, addressWeight } = spending
  const ofScope = terms[scope]
  if (ofScope === undefined) return undefined
  const weight = scope === "ip" ? ipWeight : addressWeight
  const heedsFill = lane === "open" || (scope === "address" && lane === "cancel")
  return { client, weight, lane, heedsFill, terms: ofScope }
}
