import type { Address } from "../../venue/address.ts"
import type { Lane } from "../../venue/payload/payload.ts"
import type { BudgetTerms, BudgetScope } from "./budget.ts"

/** What a request spends. A budget whose weight is `undefined` is neither asked nor counted. */
export type Spending = {
  readonly client: string
  /** `target_address`, or else the signer; `undefined` for a read, which uses no address's budget. */
  readonly address: Address | undefined
  readonly addressWeight: number
  readonly ipWeight: number
  readonly lane: Lane
  /** Counted but never stopped: a request from an operator or a panic. */
  readonly isForced?: true
  readonly terms: Readonly<Record<BudgetScope, BudgetTerms | undefined>>
}
