import { askOf, reserveFor, windowNow, type BudgetState } from "./budget-state.ts"
import { budgetMax, fitsAtMs, isEnough, roomIn } from "./budget.ts"
import type { BudgetScope, Shortage, Spending } from "./budgets.ts"

/** The budgets that have no room for a request, the one that has none for longer first. */
export function shortages(state: BudgetState, spending: Spending): readonly Shortage[] {
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
