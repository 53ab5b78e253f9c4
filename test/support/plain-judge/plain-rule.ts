import type { Rule } from "../../../src/vault/policy/terms.ts"
import { approval } from "./plain-approval.ts"
import { maxNotional, maxQuantity, maxSlippage, minQuantity, priceBand } from "./plain-bounds.ts"
import { asksOfOrders, orderMatchers, type Said, saidOf } from "./plain-matchers.ts"
import { quantityWords } from "./plain-order.ts"
import { requestMatchers } from "./plain-request-matchers.ts"
import type { PlainSubject } from "./plain-subject.ts"

/** What stops a request at a rule, and how many checks come before; `undefined` when the rule allows it. */
export function plainStop(
  rule: Rule,
  subject: PlainSubject,
): { readonly said: Said; readonly passedChecks: number } | undefined {
  for (const [passedChecks, check] of checks.entries()) {
    const said = check(rule, subject)
    if (said !== undefined) return { said, passedChecks }
  }
  return undefined
}

type Check = (rule: Rule, subject: PlainSubject) => Said | undefined

/** All that a rule asks. The more of it is passed, the further the request got with the rule. */
const checks: readonly Check[] = [
  ({ operations }, { request }) => {
    if (operations.has(request.operation)) return undefined
    const allowed = [...operations].join(", ")
    return { reason: "endpoint_not_covered", asked: request.operation, allowed }
  },
  ...requestMatchers.map((matcher): Check => ({ matchers }, { request, circumstances }) => {
    return matcher({ matchers, request, nowMs: circumstances.nowMs, list: "rule" })
  }),
  ({ matchers }, { request, orders }) => {
    if (orders !== undefined || !asksOfOrders(matchers)) return undefined
    const asked = `${request.operation}, whose orders can't be read`
    return { reason: "order_unreadable", asked, allowed: null }
  },
  ...orderMatchers.map((matcher): Check => ({ matchers }, { orders = [], profile }) => {
    const said = orders
      .flatMap(({ parts }) => parts)
      .map((part) => saidOf(part.order, matcher({ matchers, part, profile, list: "rule" })))
    return said.find((wrong) => wrong !== undefined)
  }),
  ({ allowFullTpsl }, { orders = [], profile }) => {
    const full = orders.find(({ order }) => order.tpsl?.mode === "full")
    if (allowFullTpsl || full === undefined) return undefined
    const asked = `tpsl_mode full, ${quantityWords(full.order, profile)}`
    const allowed = "tpsl_mode partial"
    return saidOf(full.order, { reason: "full_tpsl_not_allowed", asked, allowed })
  },
  (rule, subject) => {
    const isAsked = [rule.maxQuantity, rule.minQuantity, rule.maxNotional].some(Boolean)
    return isAsked ? unreadable(subject, "size_unreadable", "size") : undefined
  },
  (rule, subject) => {
    const isAsked = [rule.priceBand, rule.maxSlippage].some(Boolean)
    return isAsked ? unreadable(subject, "order_unreadable", "price") : undefined
  },
  minQuantity,
  maxQuantity,
  maxSlippage,
  priceBand,
  maxNotional,
  ({ maxExpiresInMs }, { request }) => {
    if (maxExpiresInMs === undefined || request.expiresInMs <= maxExpiresInMs) return undefined
    const allowed = `${maxExpiresInMs} ms; send Countersign-Expires-In`
    return { reason: "expires_in_over_max", asked: `valid for ${request.expiresInMs} ms`, allowed }
  },
  approval,
]

/** A chase can be read, but not what it will be. */
function unreadable(
  { request, orders }: PlainSubject,
  reason: Said["reason"],
  what: string,
): Said | undefined {
  if (orders !== undefined && request.operation !== "chaseOrder") return undefined
  return { reason, asked: `${request.operation}, whose ${what} can't be read`, allowed: null }
}
