import {
  budgetMax,
  type BudgetScope,
  type BudgetTerms,
  type Spending,
} from "../../src/vault/budgets/budget.ts"
import { signer } from "./ledger-ask.ts"

/** All of each budget may be used, and nothing is kept for anyone. */
export const nothingKept: Readonly<Record<BudgetScope, BudgetTerms>> = {
  address: { max: budgetMax.address, keptFor: new Map(), keptForCancels: 0 },
  ip: { max: budgetMax.ip, keptFor: new Map(), keptForCancels: 0 },
}

/** What an order of `signer` spends of both budgets: 1 of each. */
export const orderSpending: Spending = {
  client: "bot",
  address: signer,
  addressWeight: 1,
  ipWeight: 1,
  lane: "open",
  terms: nothingKept,
}
