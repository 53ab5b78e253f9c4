import { approveAgentRule } from "./approve-agent-rule.ts"
import type { Mismatch } from "./decision.ts"
import type { Reading } from "./judged-order.ts"
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
import type { Check, RuleTest, Subject } from "./subject.ts"

/**
 * Holds a request to one rule as a whole: every order, leg and batch item must pass every check. Answers
 * what stops it, or `undefined` when the rule allows the request.
 */
export function tryRule(rule: Rule, subject: Subject): Mismatch | undefined {
  for (const { check } of checksOf(rule)) {
    const mismatch = check(subject)(rule)
    if (mismatch !== undefined) return mismatch
  }
  return undefined
}

/** One thing that rules ask. */
export type RuleCheck = {
  readonly check: Check
  /** Whether it can find anything wrong by this rule. */
  readonly isAsked: (rule: Rule) => boolean
  /** Where the check is no more than a comparison with listed values. */
  readonly listed?: Listed
}

/** A rule without a list passes, and so does one with whose list every reading agrees: see `agrees`. */
export type Listed = {
  readonly listOf: (rule: Rule) => Iterable<unknown> | undefined
  readonly readingsOf: (subject: Subject) => readonly Reading<unknown>[]
}

/** From the coarse to the fine, so that the rule that passes most is the one that was meant. */
export const checks: readonly RuleCheck[] = [
  {
    check: endpoint,
    isAsked: () => true,
    listed: {
      listOf: ({ operations }) => operations,
      readingsOf: ({ request }) => [[request.operation]],
    },
  },
  ...requestMatchers.map(requestCheck),
  sameForAll(({ matchers }) => usesOrderMatchers(matchers), unreadableOrders),
  ...orderMatchers.map(orderCheck),
  sameForAll(({ allowFullTpsl }) => !allowFullTpsl, fullTpsl),
  sameForAll(boundsSizes, unreadableSize),
  sameForAll(boundsPrices, unreadablePrice),
  { check: minQuantity, isAsked: (rule) => rule.minQuantity !== undefined },
  { check: maxQuantity, isAsked: (rule) => rule.maxQuantity !== undefined },
  { check: maxSlippage, isAsked: (rule) => rule.maxSlippage !== undefined },
  { check: priceBand, isAsked: (rule) => rule.priceBand !== undefined },
  { check: maxNotional, isAsked: (rule) => rule.maxNotional !== undefined },
  { check: maxExpiresIn, isAsked: (rule) => rule.maxExpiresInMs !== undefined },
  { check: approveAgentRule, isAsked: () => true },
]

/** The checks of a rule. Those that it doesn't ask are passed. */
const checksOf = oncePer((rule: Rule) => checks.filter(({ isAsked }) => isAsked(rule)))

function endpoint({ request }: Subject): RuleTest {
  return ({ operations }) => {
    if (operations.has(request.operation)) return undefined
    const allowed = () => [...operations].join(", ")
    return { reason: "endpoint_not_covered", asked: request.operation, allowed }
  }
}

function requestCheck(matcher: RequestMatcher): RuleCheck {
  return {
    isAsked: ({ matchers }) => matcher.isUsed(matchers),
    check:
      (subject) =>
      ({ matchers }) =>
        matcher.fits(matchers, subject, "rule") ? undefined : matcher.mismatch(matchers, subject),
  }
}

function orderCheck(matcher: OrderMatcher): RuleCheck {
  const { list } = matcher
  return {
    isAsked: ({ matchers }) => matcher.isUsed(matchers),
    check:
      ({ parts, circumstances }) =>
      ({ matchers }) => {
        const odd = parts.find((order) => !matcher.fits(matchers, order, "rule"))
        return odd && matcher.mismatch(matchers, odd, circumstances.profile.symbols)
      },
    ...(list && {
      listed: {
        listOf: ({ matchers }) => list.listOf(matchers),
        readingsOf: ({ parts }) => parts.map(list.readingOf),
      },
    }),
  }
}

/** What is wrong by every rule that asks it or by none. */
function sameForAll(
  isAsked: RuleCheck["isAsked"],
  mismatchOf: (subject: Subject) => Mismatch | undefined,
): RuleCheck {
  return {
    isAsked,
    check: (subject) => {
      const mismatch = mismatchOf(subject)
      return () => mismatch
    },
    listed: {
      listOf: (rule) => (isAsked(rule) ? [undefined] : undefined),
      readingsOf: (subject) => [[mismatchOf(subject)]],
    },
  }
}

function unreadableOrders({ request, orders }: Subject): Mismatch | undefined {
  if (orders !== undefined) return undefined
  const asked = `${request.operation}, whose orders can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A full take-profit or stop closes the whole position, whatever its quantity says. */
function fullTpsl({ orders = [], circumstances }: Subject): Mismatch | undefined {
  const full = orders.find(({ order }) => order.tpsl?.mode === "full")
  if (full === undefined) return undefined
  const asked = () => `tpsl_mode full, ${quantityText(full.order, circumstances.profile.symbols)}`
  return { reason: "full_tpsl_not_allowed", asked, allowed: "tpsl_mode partial" }
}

function boundsSizes({ maxQuantity, minQuantity, maxNotional }: Rule): boolean {
  return [maxQuantity, minQuantity, maxNotional].some((bound) => bound !== undefined)
}

function unreadableSize(subject: Subject): Mismatch | undefined {
  if (isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose size can't be read`
  return { reason: "size_unreadable", asked, allowed: null }
}

function boundsPrices({ priceBand, maxSlippage }: Rule): boolean {
  return priceBand !== undefined || maxSlippage !== undefined
}

function unreadablePrice(subject: Subject): Mismatch | undefined {
  if (isReadable(subject)) return undefined
  const asked = `${subject.request.operation}, whose price can't be read`
  return { reason: "order_unreadable", asked, allowed: null }
}

/** A chase moves its price by itself, so its size can't be told even where its body can be read. */
function isReadable({ orders, request }: Subject): boolean {
  return orders !== undefined && request.operation !== "chaseOrder"
}
