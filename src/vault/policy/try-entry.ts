import type { Address } from "../../venue/address.ts"
import {
  maxSlippage,
  priceBand,
  maxNotional,
  maxQuantity,
  minQuantity,
  boundFor,
} from "./bounds.ts"
import { quantityText, type Subject, type ReadOrder, orderText } from "./match/judged-request.ts"
import {
  type Named,
  orderMatchers,
  requestMatchers,
  usesOrderMatchers,
  type Matchers,
} from "./match/matchers.ts"
import {
  type Mismatch,
  ofOrder,
  type Rule,
  type OrderSize,
  type Entry,
  type Deny,
  type Over,
} from "./terms.ts"
import { compareDecimals, formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { Order } from "../../venue/payload/payload.ts"
import { quantityUnit, worstOf } from "./order-size.ts"
import { hoursText } from "./match/hours.ts"

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

/** Checks a bound, if the rule has it. */
function bounded<Key extends keyof Rule>(
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
  const allowed = "tpsl_mode partial"
  return ofOrder(full.order, { reason: "full_tpsl_not_allowed", asked, allowed })
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

/** An order that an entry matches, its index in the request, and which of its parts match. */
export type MatchedOrder = {
  readonly index: number
  readonly read: ReadOrder
  /** Entry first, then the legs, as in `read.parts`. At least one is true. */
  readonly isPartMatched: readonly boolean[]
}

/** The part of a request that an entry of `deny`, `limits` or `hold` matches. */
export type Match = {
  /** `undefined` when the request makes no orders or they can't be read: then it matches as a whole. */
  readonly orders: readonly MatchedOrder[] | undefined
}

/** Matches an entry with a request. One order or leg is enough; an unreadable value matches too. */
export function matchEntry(entry: Entry, subject: Subject): Match | undefined {
  const { request, orders } = subject
  if (!entry.operations.has(request.operation)) return undefined
  if (!fitsAll(requestMatchers, entry.matchers, subject)) return undefined
  if (orders === undefined) return { orders: undefined }

  const matched = orders.flatMap((read, index): readonly MatchedOrder[] => {
    const isPartMatched = read.parts.map((part) => fitsAll(orderMatchers, entry.matchers, part))
    return isPartMatched.includes(true) ? [{ index, read, isPartMatched }] : []
  })
  return matched.length === 0 ? undefined : { orders: matched }
}

/** The size of each order of the request. Called only for entries with a notional. */
export type Sizes = () => readonly OrderSize[]

/**
 * Matches an entry of `deny` or `hold` with a request, sizes included. Each order is sized by itself, by the same worst
 * case as for a rule's maximum. An order counts as over if it can't be sized, or if the entry has no amount for its symbol.
 */
export function matchSized(entry: Deny, subject: Subject, sizes: Sizes): Match | undefined {
  const match = matchEntry(entry, subject)
  const { over } = entry
  if (over === undefined || match?.orders === undefined) return match
  const orders = match.orders.filter((order) => {
    const amount =
      over.kind === "quantity" ? baseQuantity(order, subject) : worstOf(sizes()[order.index])
    const bound = boundFor(over.bound, order.read.order.symbolId)
    return amount === undefined || bound === undefined || compareDecimals(amount, bound) > 0
  })
  return orders.length === 0 ? undefined : { orders }
}

/** Base units; `undefined` for a chase, and if the quantity is or may be in quote units. */
function baseQuantity({ read }: MatchedOrder, subject: Subject): Decimal | undefined {
  if (subject.request.operation === "chaseOrder") return undefined
  const unit = quantityUnit(read, subject.circumstances.profile)
  return unit.ok && unit.value === "base" ? read.order.quantity : undefined
}

/** What was matched, in words. */
export function matchText(entry: Sized, match: Match, subject: Subject): string {
  const { request, circumstances } = subject
  if (!looksAtOrders(entry)) return request.operation
  const order = matchedOrder(entry, match)
  if (order === undefined) return `${request.operation}, whose orders can't be read`
  return orderText(order, circumstances.profile.symbols)
}

/** The first order that was matched, by an entry that looks at orders. */
export function matchedOrder(entry: Sized, { orders }: Match): Order | undefined {
  return looksAtOrders(entry) ? orders?.[0]?.read.order : undefined
}

type Sized = Pick<Entry, "matchers"> & { readonly over: unknown }

function looksAtOrders({ matchers, over }: Sized): boolean {
  return over !== undefined || usesOrderMatchers(matchers)
}

function fitsAll<On>(named: readonly Named<On>[], asked: Matchers, on: On): boolean {
  return named.every(([name, matcher]) => {
    const value = asked[name]
    return value === undefined || matcher.fits(value, on, "deny")
  })
}

/** What a deny doesn't match: the most that the first matching order may be, the hours outside of its own; `null` if it has neither. */
export function allowedBesides({ over, matchers }: Deny, { orders }: Match): string | null {
  const [first] = orders ?? []
  const size = over && first && sizeText(over, first)
  const { hours } = matchers
  const allowed = [size, hours && `outside of ${hoursText(hours)}`]
  return allowed.filter((words) => words !== undefined).join(", or ") || null
}

function sizeText({ kind, bound }: Over, { read }: MatchedOrder): string | undefined {
  const most = boundFor(bound, read.order.symbolId)
  return most && `${formatDecimal(most)} in ${kind === "quantity" ? "base" : "quote"} units`
}
