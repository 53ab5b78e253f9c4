import { usesOrderMatchers } from "../../vault/policy/match/matchers.ts"
import type { Rule, SizeBound } from "../../vault/policy/terms/policy.ts"
import type { Endpoint, Profile } from "../../venue/profile.ts"

/** Says of a rule why no request ever matches it. */
export function neverMatches(rule: Rule, profile: Profile): string | undefined {
  return reasons.find(({ isIn }) => isIn(rule, profile))?.message
}

const reasons: readonly {
  readonly message: string
  readonly isIn: (rule: Rule, profile: Profile) => boolean
}[] = [
  {
    message:
      "allows nothing: it asks about orders, and those of its endpoints can't be read; say where they are (like, items and item_like in venue.yaml)",
    isIn: (rule, { endpoints }) =>
      asksOfOrders(rule) &&
      ![...rule.operations].some((id) => readable.includes(endpoints.get(id)?.shape.kind)),
  },
  {
    message: "allows nothing: label is for approveAgent, which its endpoints don't name",
    isIn: ({ matchers, operations }) =>
      matchers.label !== undefined && !operations.has("approveAgent"),
  },
  {
    message: "allows nothing: a map of sizes has none of its symbols, and no default",
    isIn: ({ matchers: { symbols }, maxQuantity, minQuantity, maxNotional }) =>
      symbols !== undefined &&
      [maxQuantity, minQuantity, maxNotional].some((bound) => hasNoneOf(bound, symbols)),
  },
  {
    message:
      "allows nothing: its symbols are all spot, and those have no position_side and no margin_mode",
    isIn: ({ matchers: { symbols, positionSides, marginModes } }, profile) =>
      (positionSides ?? marginModes) !== undefined &&
      symbols?.every((id) => profile.symbols.byId.get(id)?.market === "spot") === true,
  },
]

/** The shapes of bodies whose orders can be read. */
const readable: readonly (Endpoint["shape"]["kind"] | undefined)[] = [
  "order",
  "order_with_id",
  "order_list",
]

function asksOfOrders(rule: Rule): boolean {
  const { maxQuantity, minQuantity, maxNotional, priceBand, maxSlippage } = rule
  const bounds = [maxQuantity, minQuantity, maxNotional, priceBand, maxSlippage]
  return usesOrderMatchers(rule.matchers) || bounds.some((bound) => bound !== undefined)
}

function hasNoneOf(bound: SizeBound | undefined, symbols: readonly number[]): boolean {
  if (bound?.kind !== "by_symbol" || bound.defaultAmount !== undefined) return false
  return !symbols.some((id) => bound.amountBySymbol.has(id))
}
