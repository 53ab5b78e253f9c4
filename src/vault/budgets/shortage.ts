import type { Refusal } from "../../link/views/refusal.ts"
import type { BudgetRoom, BudgetScope } from "./budget.ts"

/**
 * The refusal by a budget. For an address it has the venue's code and words; for the IP the venue's aren't
 * disclosed. The sentence has no numbers, so that repeated refusals are recorded as one.
 */
export function budgetExhausted(short: Shortage, nowMs: number): Refusal {
  const { scope, max, used, kept, asked, retryAfterMs } = short
  const amounts = {
    ...{ max, used, kept, asked },
    frees_at: retryAfterMs === undefined ? null : nowMs + retryAfterMs,
    retry_after_ms: retryAfterMs ?? null,
  }
  const advice =
    retryAfterMs === undefined
      ? "what is kept for others never leaves it that much"
      : "frees_at says when it has room"
  return scope === "ip"
    ? {
        code: "ip_budget_exhausted",
        message: `Rate limit exceeded: the IP budget has no room for it, so it wasn't sent; ${advice}.`,
        data: { scope, ...amounts },
      }
    : {
        code: "10029",
        message: `Rate limit exceeded: the budget of this request's address has no room for it, so it wasn't sent; ${advice}.`,
        data: { scope, ...amounts },
      }
}

/** A budget that has no room for a request; `retryAfterMs` is `undefined` when it never has. */
export type Shortage = BudgetRoom & {
  readonly scope: BudgetScope
  readonly retryAfterMs: number | undefined
}
