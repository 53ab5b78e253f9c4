import { approveAgentRule } from "./approve-agent-rule.ts"
import type { Mismatch } from "./decision.ts"
import { maxNotional } from "./max-notional.ts"
import { maxQuantity } from "./max-quantity.ts"
import { orderMatchers, usesOrderMatchers, type OrderMatcher } from "./order-matchers.ts"
import { quantityText } from "./order-text.ts"
import type { Rule } from "./policy.ts"
import type { Check, Subject } from "./subject.ts"

/** `undefined` when the rule allows the request; else what stopped it, and how many checks it passed. */
export type Stop = { readonly mismatch: Mismatch; readonly passedChecks: number } | undefined

/** Holds a request to one rule as a whole: every order, leg and batch item must pass every check. */
export function tryRule(rule: Rule, subject: Subject): Stop {
  for (const [passedChecks, check] of checks.entries()) {
    const mismatch = check(rule, subject)
    if (mismatch !== undefined) return { mismatch, passedChecks }
  }
  return undefined
}

/** From the coarse to the fine, so that the rule that passes most is the one that was meant. */
const checks: readonly Check[] = [
  endpoint,
  readability,
  ...orderMatchers.map(checkOf),
  fullTpsl,
  sizeReadability,
  maxQuantity,
  maxNotional,
  approveAgentRule,
]

function endpoint(rule: Rule, { request }: Subject): Mismatch | undefined {
  if (rule.operations.has(request.operation)) return undefined
  const allowed = [...rule.operations].join(", ")
  return { reason: "endpoint_not_covered", asked: request.operation, allowed }
}

function readability(rule: Rule, { request, orders }: Subject): Mismatch | undefined {
  if (orders !== undefined || !usesOrderMatchers(rule.matchers)) return undefined
  const asked = `${request.operation}, whose orders can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

function checkOf(matcher: OrderMatcher): Check {
  return ({ matchers }, { orders = [], circumstances }) => {
    const odd = orders
      .flatMap(({ parts }) => parts)
      .find((order) => !matcher.fits(matchers, order, "rule"))
    return odd && matcher.mismatch(matchers, odd, circumstances.profile.symbols)
  }
}

/** A full take-profit or stop closes the whole position, whatever its quantity says. */
function fullTpsl(rule: Rule, { orders = [], circumstances }: Subject): Mismatch | undefined {
  const full = orders.find(({ order }) => order.tpsl?.mode === "full")
  if (full === undefined || rule.allowFullTpsl) return undefined
  const asked = `tpsl_mode full, ${quantityText(full.order, circumstances.profile.symbols)}`
  return { reason: "full_tpsl_not_allowed", asked, allowed: "tpsl_mode partial" }
}

/** A chase moves its price by itself, so its size can't be told even where its body can be read. */
function sizeReadability(rule: Rule, { request, orders }: Subject): Mismatch | undefined {
  if (rule.maxQuantity === undefined && rule.maxNotional === undefined) return undefined
  if (orders !== undefined && request.operation !== "chaseOrder") return undefined
  const asked = `${request.operation}, whose size can't be read`
  return { reason: "size_unreadable", asked, allowed: null }
}
