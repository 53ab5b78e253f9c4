import { compareDecimals, formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { Order } from "../../venue/payload/payload.ts"
import { quantityUnit, worstOf } from "./bounds/order-size.ts"
import { boundFor } from "./bounds/size-bounds.ts"
import { hoursText } from "./match/hours.ts"
import { type ReadOrder, orderText, type Subject } from "./match/judged-request.ts"
import {
  type Matchers,
  type Named,
  orderMatchers,
  requestMatchers,
  usesOrderMatchers,
} from "./match/matchers.ts"
import type { OrderSize } from "./terms/decision.ts"
import type { Entry, Deny, Over } from "./terms/policy.ts"

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
