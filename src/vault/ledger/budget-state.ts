import type { Address } from "../../venue/address.ts"
import { openReserve, type Reserve } from "./budget-reserve.ts"
import { budgetWindowMs, type BudgetAsk } from "./budget.ts"
import type { BudgetScope, Spending } from "./budgets.ts"
import { openCountedRepeats, type CountedRepeats } from "./counted-repeats.ts"
import { rollingWindow, type RollingWindow } from "./rolling-window.ts"

/** What is used of the venue's budgets. */
export type BudgetState = {
  readonly nowMs: () => number
  readonly ip: RollingWindow
  readonly addresses: Map<Address | undefined, RollingWindow>
  readonly reserves: Map<string, Reserve>
  readonly repeats: CountedRepeats
}

/** Starts with nothing used. */
export function openBudgetState(nowMs: () => number): BudgetState {
  return {
    nowMs,
    ip: rollingWindow(budgetWindowMs),
    addresses: new Map(),
    reserves: new Map(),
    repeats: openCountedRepeats(budgetWindowMs),
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
  const reserve = reserves.get(name) ?? openReserve()
  reserves.set(name, reserve)
  return reserve
}

/** Its address's for cancels, or its client's way past the IP budget. */
function reserveName(
  { client, address, isCancel, reducesRisk }: Spending,
  scope: BudgetScope,
): string | undefined {
  if (scope === "address") return isCancel ? `address ${address}` : undefined
  return reducesRisk ? `ip ${client}` : undefined
}

/** What a request asks of a budget; `undefined` where it is off. */
export function askOf(spending: Spending, scope: BudgetScope): BudgetAsk | undefined {
  const { client, isCancel, reducesRisk, terms, ipWeight, addressWeight } = spending
  const ofScope = terms[scope]
  if (ofScope === undefined) return undefined
  const weight = scope === "ip" ? ipWeight : addressWeight
  const heedsFill = !reducesRisk || (scope === "address" && isCancel)
  return { client, weight, reducesRisk, heedsFill, terms: ofScope }
}
