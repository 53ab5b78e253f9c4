import type { Address } from "../../venue/address.ts"
import { nobodyAhead, reserveName, weightIn, type Ahead, type BudgetLine } from "./budget-line.ts"
import { budgetWindowMs, type BudgetAsk } from "./budget.ts"
import type { BudgetScope, Spending } from "./budgets.ts"
import { openCountedRepeats, type CountedRepeats } from "./counted-repeats.ts"
import { rollingWindow, type RollingWindow } from "./rolling-window.ts"

/** What is used of the venue's budgets, and what waits for room in them. */
export type BudgetState = {
  readonly nowMs: () => number
  readonly ip: RollingWindow
  readonly addresses: Map<Address | undefined, RollingWindow>
  readonly reserves: Map<string, Reserve>
  readonly repeats: CountedRepeats
  readonly line: BudgetLine
}

/** What there is one of now and then. */
export type Reserve = { takenMs: number }

/** Starts with nothing used. */
export function openBudgetState(nowMs: () => number): BudgetState {
  return {
    nowMs,
    ip: rollingWindow(budgetWindowMs),
    addresses: new Map(),
    reserves: new Map(),
    repeats: openCountedRepeats(budgetWindowMs),
    line: new Map(),
  }
}

/** A budget's window without what has stopped counting: of no address it is the IP's. */
export function windowNow(
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
export function reserveFor(
  spending: Spending,
  scope: BudgetScope,
  { reserves }: BudgetState,
): Reserve | undefined {
  const name = reserveName(spending, scope)
  if (name === undefined) return undefined
  const reserve = reserves.get(name) ?? { takenMs: -Infinity }
  reserves.set(name, reserve)
  return reserve
}

/**
 * What a request asks of a budget; `undefined` where it is off. Those who may take its reserve are left that
 * by what comes after them, so what they would weigh holds up nobody who may take it too.
 */
export function askOf(
  spending: Spending,
  scope: BudgetScope,
  ahead: Ahead = nobodyAhead,
): BudgetAsk | undefined {
  const { client, isCancel, reducesRisk, terms } = spending
  const ofScope = terms[scope]
  if (ofScope === undefined) return undefined
  const isReserved = reserveName(spending, scope) !== undefined
  return {
    client,
    weight: weightIn(spending, scope),
    reducesRisk,
    heedsFill: !reducesRisk || (scope === "address" && isCancel),
    terms: ofScope,
    ahead: (isReserved ? nobodyAhead : ahead).weights(spending, scope),
  }
}
