import type { Refusal } from "../../link/refusal.ts"
import type { Shortage } from "./budgets.ts"

/** The venue's code and words. The sentence has no number in it, so that what comes again and again is recorded as one refusal. */
export function budgetExhausted(short: Shortage, nowMs: number): Refusal {
  const { scope, max, used, kept, asked, retryAfterMs } = short
  const where = scope === "ip" ? "the IP budget" : "the budget of this request's address"
  const advice =
    retryAfterMs === undefined
      ? "what is kept for others never leaves it that much"
      : "frees_at says when it has room"
  return {
    code: "10029",
    message: `Rate limit exceeded: ${where} has no room for it, so it wasn't sent; ${advice}.`,
    data: {
      ...{ scope, max, used, kept, asked },
      frees_at: retryAfterMs === undefined ? null : nowMs + retryAfterMs,
      retry_after_ms: retryAfterMs ?? null,
    },
  }
}
