import { compareDecimals, formatDecimal, type Decimal } from "../../../venue/decimal.ts"
import type { Order } from "../../../venue/payload/payload.ts"
import { ofOrder, type Mismatch } from "../terms/decision.ts"
import { type JudgedOrder, mayBeMarket, partText, type Subject } from "../judged/judged-order.ts"
import type { Rule } from "../terms/policy.ts"

/**
 * Checks the rule's `max_slippage` on everything that may become a market order. One without slippage is refused. So is
 * a leg that becomes a market order: the interface doesn't say that the order's slippage applies to it.
 */
export function maxSlippage(max: Decimal, _: Rule, { parts }: Subject): Mismatch | undefined {
  for (const part of parts) {
    if (!mayBeMarket(part)) continue
    const mismatch = part.leg === undefined ? entrySlippage(part.order, max) : legSlippage(part)
    if (mismatch !== undefined) return ofOrder(part.order, mismatch)
  }
  return undefined
}

function entrySlippage({ slippage }: Order, max: Decimal): Mismatch | undefined {
  if (slippage === undefined) {
    const allowed = () => `with slippage, at most "${formatDecimal(max)}"`
    return { reason: "slippage_required", asked: "no slippage", allowed }
  }
  if (compareDecimals(slippage, max) <= 0) return undefined
  const allowed = () => `slippage of at most ${formatDecimal(max)}`
  return { reason: "slippage_over_max", asked: () => formatDecimal(slippage), allowed }
}

function legSlippage(part: JudgedOrder): Mismatch {
  const asked = `${partText(part)}no slippage of its own`
  return { reason: "slippage_required", asked, allowed: "a limit leg, or none" }
}
