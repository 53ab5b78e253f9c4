import {
  inOrder,
  nobodyAhead,
  openAhead,
  reserveName,
  type Ahead,
  type Place,
} from "./budget-line.ts"
import { askOf, reserveFor, windowNow, type BudgetState } from "./budget-state.ts"
import {
  budgetMax,
  budgetWindowMs,
  fitsAtMs,
  fitsEmpty,
  isEnough,
  reserveEveryMs,
  roomIn,
  type BudgetAsk,
} from "./budget.ts"
import type { BudgetScope, Shortage, Spending, Turns } from "./budgets.ts"
import type { RollingWindow } from "./rolling-window.ts"

const scopes = ["ip", "address"] as const

/** A budget, and what is ahead of who asks for room in it. */
type Where = { readonly scope: BudgetScope; readonly ahead: Ahead }

/** The budget that has no room for a request behind what waits ahead of it, the one that has none for longer first. */
export function shortage(state: BudgetState, spending: Spending): Shortage | undefined {
  if (spending.isForced === true) return undefined
  return longest(state, spending, aheadOf(state, spending))
}

/** What of the line has room now behind what is ahead of it, and when more may have. */
export function turns(state: BudgetState): Turns {
  const ahead = openAhead()
  const due: Place[] = []
  let nextInMs: number | undefined
  for (const inLine of inOrder(state.line)) {
    const { spending } = inLine
    const short = shortScopes(state, spending, ahead)
    if (short.length === 0 && spending.place !== undefined) due.push(spending.place)
    if (short.some((scope) => isFirst(spending, { scope, ahead }))) {
      const inMs = longest(state, spending, ahead)?.retryAfterMs ?? Infinity
      nextInMs = Math.min(nextInMs ?? Infinity, inMs)
    }
    inLine.takes = takenBy(spending, short)
    ahead.add(spending, inLine.takes)
  }
  return { due, nextInMs }
}

/** The budgets in which a request stands before those who come after it. */
export function takes(state: BudgetState, spending: Spending): readonly BudgetScope[] {
  return takenBy(spending, shortScopes(state, spending, aheadOf(state, spending)))
}

/** Whether a budget has room for a request, whatever waits. */
export function hasRoom(state: BudgetState, spending: Spending, scope: BudgetScope): boolean {
  return isRoomy(state, spending, { scope, ahead: nobodyAhead })
}

/**
 * Whether it comes first of its client, or of those who may take a reserve: when what is behind those has room
 * isn't asked before they have.
 */
function isFirst(spending: Spending, { scope, ahead }: Where): boolean {
  const mayTake = reserveName(spending, scope) !== undefined
  if (mayTake && ahead.takers(spending, scope) === 0) return true
  return !ahead.weights(spending, scope).has(spending.client)
}

function aheadOf(state: BudgetState, spending: Spending): Ahead {
  if (state.line.size === 0) return nobodyAhead
  const ahead = openAhead()
  for (const each of inOrder(state.line, spending)) {
    if (each.spending === spending) break
    ahead.add(each.spending, each.takes)
  }
  return ahead
}

/** What it takes before what is behind it: room where it waits for it, and once it has all that it needs, all of that. */
function takenBy({ terms }: Spending, short: readonly BudgetScope[]): readonly BudgetScope[] {
  return short.length > 0 ? short : scopes.filter((scope) => terms[scope] !== undefined)
}

function shortScopes(state: BudgetState, spending: Spending, ahead: Ahead): readonly BudgetScope[] {
  return scopes.filter((scope) => isShort(state, spending, { scope, ahead }))
}

function isShort(state: BudgetState, spending: Spending, where: Where): boolean {
  return !isRoomy(state, spending, where) && reserveInMs(state, spending, where) !== 0
}

function isRoomy(state: BudgetState, spending: Spending, { scope, ahead }: Where): boolean {
  const ask = askOf(spending, scope, ahead)
  if (ask === undefined) return true
  const window = windowNow(state, scope, spending.address)
  return isEnough(roomIn(window, budgetMax[scope], ask))
}

/** How long until the reserve that it may take is free for it; `undefined` where there is none. */
function reserveInMs(
  state: BudgetState,
  spending: Spending,
  { scope, ahead }: Where,
): number | undefined {
  const reserve = reserveFor(spending, scope, state)
  if (reserve === undefined) return undefined
  const freeInMs = Math.max(0, reserve.takenMs + reserveEveryMs - state.nowMs())
  return freeInMs + ahead.takers(spending, scope) * reserveEveryMs
}

function longest(state: BudgetState, spending: Spending, ahead: Ahead): Shortage | undefined {
  return scopes
    .map((scope) => shortageIn(state, spending, { scope, ahead }))
    .filter((each) => each !== undefined)
    .toSorted((a, b) => (b.retryAfterMs ?? Infinity) - (a.retryAfterMs ?? Infinity))[0]
}

/** What there is a reserve for waits for that, if it comes first. */
function shortageIn(state: BudgetState, spending: Spending, where: Where): Shortage | undefined {
  const { scope, ahead } = where
  const ask = askOf(spending, scope, ahead)
  if (ask === undefined || !isShort(state, spending, where)) return undefined
  const window = windowNow(state, scope, spending.address)
  const room = roomIn(window, budgetMax[scope], ask)
  const inMs = Math.min(
    roomInMs(window, { scope, ask, nowMs: state.nowMs() }),
    reserveInMs(state, spending, where) ?? Infinity,
  )
  return { ...room, scope, retryAfterMs: inMs === Infinity ? undefined : inMs }
}

/** Where those ahead take all that a window holds, there is none before theirs is over; infinite when there never is. */
function roomInMs(
  window: RollingWindow,
  {
    scope,
    ask,
    nowMs,
  }: { readonly scope: BudgetScope; readonly ask: BudgetAsk; readonly nowMs: number },
): number {
  const atMs = fitsAtMs(window, budgetMax[scope], ask)
  if (atMs !== undefined) return atMs - nowMs
  return ask.ahead.size > 0 && fitsEmpty(budgetMax[scope], ask) ? budgetWindowMs : Infinity
}
