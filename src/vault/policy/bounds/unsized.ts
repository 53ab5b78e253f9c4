import type { DenialReason, Mismatch } from "../terms/decision.ts"

/** Why an order can't be sized, and what to send then. */
export function unsized(reason: DenialReason, asked: () => string): Mismatch {
  return { reason, asked, allowed: sizedWith[reason] ?? null }
}

const sizedWith: Readonly<Partial<Record<DenialReason, string>>> = {
  slippage_required: 'with slippage, a fraction such as "0.01"',
  market_order_type_required: "with market_order_type, base or quote",
  price_match_band_required: "with a price of its own, or by a rule with price_match_band",
}
