import { approveAgentRule } from "./approve-agent-rule.ts"
import type { Mismatch } from "./decision.ts"
import { maxExpiresIn } from "./max-expires-in.ts"
import { maxNotional } from "./max-notional.ts"
import { maxQuantity } from "./max-quantity.ts"
import { maxSlippage } from "./max-slippage.ts"
import { minQuantity } from "./min-quantity.ts"
import { oncePer } from "./once-per.ts"
import { orderMatchers, usesOrderMatchers, type OrderMatcher } from "./order-matchers.ts"
import { quantityText } from "./order-text.ts"
import type { Rule } from "./policy.ts"
import { priceBand } from "./price-band.ts"
import { requestMatchers, type RequestMatcher } from "./request-matchers.ts"
import type { Check, Subject } from "./subject.ts"

/** `undefined` when the rule allows the request; else what stopped it, and how many checks it passed. */
export type Stop = { readonly mismatch: Mismatch; readonly passedChecks: number } | undefined

/** Holds a request to one rule as a whole: every order, leg and batch item must pass every check. */
export function tryRule(rule: Rule, subject: Subject): Stop {
  for (const { check, passedChecks } of checksOf(rule)) {
    const mismatch = check(rule, subject)
    if (mismatch !== undefined) return { mismatch, passedChecks }
  }
  return undefined
}

type RuleCheck = {
  readonly check: Check
  /** Whether it can find anything wrong by this rule. */
  readonly isAsked: (rule: Rule) => boolean
}

/** From the coarse to the fine, so that the rule that passes most is the one that was meant. */
const checks: readonly RuleCheck[] = [
  { check: endpoint, isAsked: () => true },
  ...requestMatchers.map(requestCheck),
  { check: readability, isAsked: ({ matchers }) => usesOrderMatchers(matchers) },
  ...orderMatchers.map(orderCheck),
  { check: fullTpsl, isAsked: ({ allowFullTpsl }) => !allowFullTpsl },
  { check: sizeReadability, isAsked: boundsSizes },
  { check: priceReadability, isAsked: boundsPrices },
  { check: minQuantity, isAsked: (rule) => rule.minQuantity !== undefined },
  { check: maxQuantity, isAsked: (rule) => rule.maxQuantity !== undefined },
  { check: maxSlippage, isAsked: (rule) => rule.maxSlippage !== undefined },
  { check: priceBand, isAsked: (rule) => rule.priceBand !== undefined },
  { check: maxNotional, isAsked: (rule) => rule.maxNotional !== undefined },
  { check: maxExpiresIn, isAsked: (rule) => rule.maxExpiresInMs !== undefined },
  { check: approveAgentRule, isAsked: () => true },
]

/** The checks of a rule with how many come before them. Those that it doesn't ask are passed. */
const checksOf = oncePer((rule: Rule) =>
  checks
    .map(({ check, isAsked }, passedChecks) => ({ check, isAsked, passedChecks }))
    .filter(({ isAsked }) => isAsked(rule)),
)

function endpoint(rule: Rule, { request }: Subject): Mismatch | undefined {
  if (rule.operations.has(request.operation)) return undefined
  const allowed = () => [...rule.operations].join(", ")
  return { reason: "endpoint_not_covered", asked: request.operation, allowed }
}

function readability(_: Rule, { request, orders }: Subject): Mismatch | undefined {
  if (orders !== undefined) return undefined
  const asked = `${request.operation}, whose orders can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

function requestCheck(matcher: RequestMatcher): RuleCheck {
  return {
    isAsked: ({ matchers }) => matcher.isUsed(matchers),
    check: ({ matchers }, subject) =>
      matcher.fits(matchers, subject, "rule") ? undefined : matcher.mismatch(matchers, subject),
  }
}

function orderCheck(matcher: OrderMatcher): RuleCheck {
  return {
    isAsked: ({ matchers }) => matcher.isUsed(matchers),
    check: ({ matchers }, { parts, circumstances }) => {
      const odd = parts.find((order) => !matcher.fits(matchers, order, "rule"))
      return odd && matcher.mismatch(matchers, odd, circumstances.profile.symbols)
    },
  }
}

/** A full take-profit or stop closes the whole position, whatever its quantity says. */
function fullTpsl(_: Rule, { orders = [], circumstances }: Subject): Mismatch | undefined {
  const full = orders.find(({ order }) => order.tpsl?.mode === "full")
  if (full === undefined) return undefined
  const asked = () => `tpsl_mode full, ${quantityText(full.order, circumstances.profile.symbols)}`
  return { reason: "full_tpsl_not_allowed", asked, allowed: "tpsl_mode partial" }
}

function boundsSizes({ maxQuantity, minQuantity, maxNotional }: Rule): boolean {
  return [maxQuantity, minQuantity, maxNotional].some((bound) => bound !== undefined)
}

function sizeReadability(_: Rule, subject: Subject): Mismatch | undefined {
  if (isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose size can't be read`
  return { reason: "size_unreadable", asked, allowed: null }
}

function boundsPrices({ priceBand, maxSlippage }: Rule): boolean {
  return priceBand !== undefined || maxSlippage !== undefined
}

function priceReadability(_: Rule, subject: Subject): Mismatch | undefined {
  if (isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose price can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A chase moves its price by itself, so its size can't be told even where its body can be read. */
function isReadable({ orders, request }: Subject): boolean {
  return orders !== undefined && request.operation !== "chaseOrder"
}
