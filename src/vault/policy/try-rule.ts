import { approveAgentRule } from "./approve-agent-rule.ts"
import type { Mismatch } from "./decision.ts"
import { maxNotional } from "./max-notional.ts"
import { maxQuantity } from "./max-quantity.ts"
import { maxSlippage } from "./max-slippage.ts"
import { minQuantity } from "./min-quantity.ts"
import { orderMatchers, usesOrderMatchers, type OrderMatcher } from "./order-matchers.ts"
import { quantityText } from "./order-text.ts"
import type { Rule } from "./policy.ts"
import { priceBand } from "./price-band.ts"
import { requestMatchers, type RequestMatcher } from "./request-matchers.ts"
import type { Subject } from "./subject.ts"

/** What stops a request at a rule, and how far it came. */
export type Stop = { readonly mismatch: Mismatch; readonly passedChecks: number }

/**
 * Holds a request to one rule as a whole: every order, leg and batch item must pass every check. Answers
 * what stops it, or `undefined` when the rule allows the request.
 */
export function tryRule(rule: Rule, subject: Subject): Stop | undefined {
  let passedChecks = 0
  for (const check of checks) {
    const mismatch = check(rule, subject)
    if (mismatch !== undefined) return { mismatch, passedChecks }
    passedChecks += 1
  }
  return undefined
}

/** Tells what is wrong with a request by one thing that rules ask; nothing where the rule doesn't ask it. */
type Check = (rule: Rule, subject: Subject) => Mismatch | undefined

/** From the coarse to the fine, so that the rule that passes most is the one that was meant. */
const checks: readonly Check[] = [
  endpoint,
  ...requestMatchers.map(requestCheck),
  unreadableOrders,
  ...orderMatchers.map(orderCheck),
  fullTpsl,
  unreadableSize,
  unreadablePrice,
  minQuantity,
  maxQuantity,
  maxSlippage,
  priceBand,
  maxNotional,
  maxExpiresIn,
  approveAgentRule,
]

function endpoint({ operations }: Rule, { request }: Subject): Mismatch | undefined {
  if (operations.has(request.operation)) return undefined
  const allowed = () => [...operations].join(", ")
  return { reason: "endpoint_not_covered", asked: request.operation, allowed }
}

function requestCheck(matcher: RequestMatcher): Check {
  return ({ matchers }, subject) =>
    matcher.fits(matchers, subject, "rule") ? undefined : matcher.mismatch(matchers, subject)
}

function orderCheck(matcher: OrderMatcher): Check {
  return ({ matchers }, { parts, circumstances }) => {
    if (matchers[matcher.key] === undefined) return undefined
    for (const part of parts) {
      if (matcher.fits(matchers, part, "rule")) continue
      return matcher.mismatch(matchers, part, circumstances.profile.symbols)
    }
    return undefined
  }
}

function unreadableOrders({ matchers }: Rule, { request, orders }: Subject): Mismatch | undefined {
  if (orders !== undefined || !usesOrderMatchers(matchers)) return undefined
  const asked = `${request.operation}, whose orders can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A full take-profit or stop closes the whole position, whatever its quantity says. */
function fullTpsl(
  { allowFullTpsl }: Rule,
  { orders = [], circumstances }: Subject,
): Mismatch | undefined {
  if (allowFullTpsl) return undefined
  const full = orders.find(({ order }) => order.tpsl?.mode === "full")
  if (full === undefined) return undefined
  const asked = () => `tpsl_mode full, ${quantityText(full.order, circumstances.profile.symbols)}`
  return { reason: "full_tpsl_not_allowed", asked, allowed: "tpsl_mode partial" }
}

function unreadableSize(rule: Rule, subject: Subject): Mismatch | undefined {
  if ((rule.maxQuantity ?? rule.minQuantity ?? rule.maxNotional) === undefined) return undefined
  if (isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose size can't be read`
  return { reason: "size_unreadable", asked, allowed: null }
}

function unreadablePrice(rule: Rule, subject: Subject): Mismatch | undefined {
  if ((rule.priceBand ?? rule.maxSlippage) === undefined || isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose price can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A chase moves its price by itself, so its size can't be told even where its body can be read. */
function isReadable({ orders, request }: Subject): boolean {
  return orders !== undefined && request.operation !== "chaseOrder"
}

/** The time that the signed request would be valid. */
function maxExpiresIn({ maxExpiresInMs }: Rule, { request }: Subject): Mismatch | undefined {
  // Not `>`: a number that isn't one compares as false, and must not pass.
  if (maxExpiresInMs === undefined || request.expiresInMs <= maxExpiresInMs) return undefined
  return {
    reason: "expires_in_over_max",
    asked: `valid for ${request.expiresInMs} ms`,
    allowed: `${maxExpiresInMs} ms; send Countersign-Expires-In`,
  }
}
