import type { Mismatch } from "../../../src/vault/policy/decision.ts"
import { orderMatchers } from "../../../src/vault/policy/order-matchers.ts"
import { quantityText } from "../../../src/vault/policy/order-text.ts"
import type { Rule } from "../../../src/vault/policy/policy.ts"
import { requestMatchers } from "../../../src/vault/policy/request-matchers.ts"
import type { Subject } from "../../../src/vault/policy/subject.ts"
import { approvalMismatch } from "./plain-approval.ts"
import {
  bandMismatch,
  maxQuantityMismatch,
  minQuantityMismatch,
  notionalMismatch,
  slippageMismatch,
} from "./plain-bounds.ts"

/** What stops a request at a rule, and how many checks come before; `undefined` when the rule allows it. */
export function plainStop(
  rule: Rule,
  subject: Subject,
): { readonly mismatch: Mismatch; readonly passedChecks: number } | undefined {
  for (const [passedChecks, check] of checks.entries()) {
    const mismatch = check(rule, subject)
    if (mismatch !== undefined) return { mismatch, passedChecks }
  }
  return undefined
}

const checks: readonly ((rule: Rule, subject: Subject) => Mismatch | undefined)[] = [
  ({ operations }, { request }) =>
    operations.has(request.operation)
      ? undefined
      : {
          reason: "endpoint_not_covered",
          asked: request.operation,
          allowed: [...operations].join(", "),
        },
  ...requestMatchers.map((matcher) => ({ matchers }: Rule, subject: Subject) => {
    if (matcher.fits(matchers, subject, "rule")) return undefined
    return matcher.mismatch(matchers, subject)
  }),
  ({ matchers }, { request, orders }) => {
    if (orders !== undefined) return undefined
    if (!orderMatchers.some((matcher) => matcher.isUsed(matchers))) return undefined
    const asked = `${request.operation}, whose orders can't be read`
    return { reason: "order_unreadable", asked, allowed: null }
  },
  ...orderMatchers.map((matcher) => ({ matchers }: Rule, { parts, circumstances }: Subject) => {
    for (const part of parts) {
      if (matcher.fits(matchers, part, "rule")) continue
      return matcher.mismatch(matchers, part, circumstances.profile.symbols)
    }
    return undefined
  }),
  ({ allowFullTpsl }, { orders, circumstances }) => {
    const full = orders?.find(({ order }) => order.tpsl?.mode === "full")
    if (allowFullTpsl || full === undefined) return undefined
    const asked = `tpsl_mode full, ${quantityText(full.order, circumstances.profile.symbols)}`
    return { reason: "full_tpsl_not_allowed", asked, allowed: "tpsl_mode partial" }
  },
  ({ maxQuantity, minQuantity, maxNotional }, subject) => {
    if (maxQuantity === undefined && minQuantity === undefined && maxNotional === undefined) {
      return undefined
    }
    return unreadable(subject, "size_unreadable", "size")
  },
  ({ priceBand, maxSlippage }, subject) => {
    if (priceBand === undefined && maxSlippage === undefined) return undefined
    return unreadable(subject, "order_unreadable", "price")
  },
  minQuantityMismatch,
  maxQuantityMismatch,
  slippageMismatch,
  bandMismatch,
  notionalMismatch,
  ({ maxExpiresInMs }, { request }) => {
    if (maxExpiresInMs === undefined || request.expiresInMs <= maxExpiresInMs) return undefined
    return {
      reason: "expires_in_over_max",
      asked: `valid for ${request.expiresInMs} ms`,
      allowed: `${maxExpiresInMs} ms; send Countersign-Expires-In`,
    }
  },
  approvalMismatch,
]

/** A chase can be read, but not what it will be. */
function unreadable(
  { request, orders }: Subject,
  reason: Mismatch["reason"],
  what: string,
): Mismatch | undefined {
  if (orders !== undefined && request.operation !== "chaseOrder") return undefined
  return { reason, asked: `${request.operation}, whose ${what} can't be read`, allowed: null }
}
