import type { Address } from "../../venue/address.ts"
import { maxSlippage, priceBand } from "./bounds/price-bounds.ts"
import { maxNotional, maxQuantity, minQuantity } from "./bounds/size-bounds.ts"
import { quantityText, type Subject } from "./match/judged-request.ts"
import { type Named, orderMatchers, requestMatchers, usesOrderMatchers } from "./match/matchers.ts"
import { type Mismatch, ofOrder } from "./terms/decision.ts"
import type { Rule } from "./terms/policy.ts"

/** Why a rule doesn't allow a request, and how many checks passed before. */
export type Stop = { readonly mismatch: Mismatch; readonly passedChecks: number }

/**
 * Tries one rule on the whole request: every order, leg and batch item must pass every check. Returns the
 * check that failed, or `undefined` when the rule allows the request.
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

/** Checks one requirement of a rule; `undefined` when the request meets it or the rule doesn't have it. */
type Check = (rule: Rule, subject: Subject) => Mismatch | undefined

/** From coarse to fine: the rule that passes most checks is likely the one that was meant. */
const checks: readonly Check[] = [
  endpoint,
  ...requestMatchers.map((named) =>
    matching(
      named,
      (subject) => [subject],
      (_, why) => why,
    ),
  ),
  unreadableOrders,
  ...orderMatchers.map((named) =>
    matching(
      named,
      ({ parts }) => parts,
      ({ order }, why) => ofOrder(order, why),
    ),
  ),
  fullTpsl,
  unreadableSize,
  unreadablePrice,
  bounded("minQuantity", minQuantity),
  bounded("maxQuantity", maxQuantity),
  bounded("maxSlippage", maxSlippage),
  bounded("priceBand", priceBand),
  bounded("maxNotional", maxNotional),
  bounded("maxExpiresInMs", maxExpiresIn),
  approval,
]

type Bound = keyof Pick<
  Rule,
  "minQuantity" | "maxQuantity" | "maxSlippage" | "priceBand" | "maxNotional" | "maxExpiresInMs"
>

/** Checks a bound, if the rule has it. */
function bounded<Key extends Bound>(
  key: Key,
  check: (bound: NonNullable<Rule[Key]>, rule: Rule, subject: Subject) => Mismatch | undefined,
): Check {
  return (rule, subject) => {
    const bound = rule[key]
    return bound === undefined ? undefined : check(bound, rule, subject)
  }
}

function endpoint({ operations }: Rule, { request }: Subject): Mismatch | undefined {
  if (operations.has(request.operation)) return undefined
  const allowed = () => [...operations].join(", ")
  return { reason: "endpoint_not_covered", asked: request.operation, allowed }
}

/** Checks one matcher of a rule on the request, or on each of its orders and legs. */
function matching<On>(
  [name, matcher]: Named<On>,
  judgedOf: (subject: Subject) => readonly On[],
  of: (on: On, why: Mismatch) => Mismatch,
): Check {
  return ({ matchers }, subject) => {
    const value = matchers[name]
    if (value === undefined) return undefined
    for (const on of judgedOf(subject)) {
      if (matcher.fits(value, on, "rule")) continue
      const { symbols } = subject.circumstances.profile
      return of(on, {
        reason: matcher.reason,
        asked: () => matcher.asked(on, symbols, value),
        allowed: () => matcher.allowed(value, symbols),
      })
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
  return ofOrder(full.order, {
    reason: "full_tpsl_not_allowed",
    asked,
    allowed: "tpsl_mode partial",
  })
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

/** A chase moves its price by itself, so its size isn't known even if its body can be read. */
function isReadable({ orders, request }: Subject): boolean {
  return orders !== undefined && request.operation !== "chaseOrder"
}

/** The time that the signed request would be valid. */
function maxExpiresIn(maxMs: number, _: Rule, { request }: Subject): Mismatch | undefined {
  // Not `>`: NaN compares as false and must not pass.
  if (request.expiresInMs <= maxMs) return undefined
  return {
    reason: "expires_in_over_max",
    asked: `valid for ${request.expiresInMs} ms`,
    allowed: `${maxMs} ms; send Countersign-Expires-In`,
  }
}

/**
 * Checks approveAgent, which a rule's keys about agents are for. The agent's key is held here or the rule names it. The
 * signer authorizes it for its own account, or for one that the rule names. The approval expires.
 */
function approval(rule: Rule, subject: Subject): Mismatch | undefined {
  const { operation, payload, key } = subject.request
  if (operation !== "approveAgent") return undefined
  if (payload.kind !== "approve_agent") {
    return { reason: "approval_unreadable", asked: operation, allowed: null }
  }
  const { agentAddress, authorizedAddress, validDays } = payload.approval

  if (!isAgentAllowed(agentAddress, rule, subject)) {
    const allowed =
      rule.agentAddresses === "held" ? "the agents held here" : rule.agentAddresses.join(", ")
    return { reason: "agent_address_not_allowed", asked: agentAddress, allowed }
  }
  const authorized = [key.address, ...rule.authorizedAddresses]
  if (!authorized.includes(authorizedAddress)) {
    const allowed = authorized.join(", ")
    return { reason: "authorized_address_not_allowed", asked: authorizedAddress, allowed }
  }
  // Not `>`: NaN compares as false and must not pass.
  if (!(validDays <= rule.maxValidDays)) {
    const allowed = `${rule.maxValidDays} days`
    return { reason: "valid_days_over_max", asked: `${validDays} days`, allowed }
  }
  return undefined
}

function isAgentAllowed(address: Address, rule: Rule, { circumstances }: Subject): boolean {
  return rule.agentAddresses === "held"
    ? circumstances.heldAgents().has(address)
    : rule.agentAddresses.includes(address)
}
