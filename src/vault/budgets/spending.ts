import type { Address } from "../../venue/address.ts"
import type { Lane } from "../../venue/payload/lane.ts"
import type { BudgetTerms, BudgetScope } from "./budget.ts"

/** What a request spends. What of a budget is `undefined` is neither asked nor counted. */
export type Spending = {
  readonly client: string
  /** `target_address`, or else the signer; `undefined` of a read, which spends no address's budget. */
  readonly address: Address | undefined
  readonly addressWeight: number
  readonly ipWeight: number
  readonly lane: Lane
  /** Counted, and never stopped: what an operator or a panic asks for. */
  readonly isForced?: true
  readonly terms: Readonly<Record<BudgetScope, BudgetTerms | undefined>>
}
