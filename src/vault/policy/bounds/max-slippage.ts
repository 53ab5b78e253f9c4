import { compareDecimals, formatDecimal, type Decimal } from "../../../venue/decimal.ts"
import type { Mismatch } from "../terms/decision.ts"
import { mayBeMarket, partText, type Subject } from "../judged/judged-order.ts"
import type { Rule } from "../terms/policy.ts"

/**
 * Checks the rule's `max_slippage` on everything that may become a market order. One without slippage is refused. So is
 * a leg that becomes a market order: the interface doesn't say that the order's slippage applies to it.
 */
export function maxSlippage(max: Decimal, _: Rule, { parts }: Subject): Mismatch | undefined {
  for (const part of parts) {
    if (!mayBeMarket(part)) continue
    const slippage = part.leg === undefined ? part.order.slippage : undefined
    const allowed = () => `slippage of at most ${formatDecimal(max)}`
    if (slippage === undefined) {
      const none = part.leg === undefined ? "no slippage" : "no slippage of its own"
      return { reason: "slippage_required", asked: `${partText(part)}${none}`, allowed }
    }
    if (compareDecimals(slippage, max) > 0) {
      return { reason: "slippage_over_max", asked: () => formatDecimal(slippage), allowed }
    }
  }
  return undefined
}
