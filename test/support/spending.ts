import type { BudgetTerms } from "../../src/vault/budgets/budget.ts"
import type { Spending } from "../../src/vault/budgets/spending.ts"
import { signer } from "./ledger-ask.ts"

/** Nothing of a budget is kept for anyone. */
export const nothingKept: BudgetTerms = { keptFor: new Map(), keptForCancels: 0 }

/** What an order of `signer` spends of both budgets: 1 of each. */
export const orderSpending: Spending = {
  client: "bot",
  address: signer,
  addressWeight: 1,
  ipWeight: 1,
  lane: "open",
  terms: { address: nothingKept, ip: nothingKept },
}
