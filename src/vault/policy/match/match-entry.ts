import type { Order } from "../../../venue/payload/payload.ts"
import type { OperationId } from "../../../venue/profile.ts"
import { type ReadOrder, orderText, type Subject } from "../judged/judged-order.ts"
import {
  type Matchers,
  type Named,
  orderMatchers,
  requestMatchers,
  usesOrderMatchers,
} from "./matchers.ts"

/** What an entry of any list asks. */
export type Asking = {
  /** What it covers: its `endpoints`; without them, what its other keys are about, or everything. */
  readonly operations: ReadonlySet<OperationId>
  readonly matchers: Matchers
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
export function matchEntry(entry: Asking, subject: Subject): Match | undefined {
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

type Sized = Asking & { readonly over: unknown }

function looksAtOrders({ matchers, over }: Sized): boolean {
  return over !== undefined || usesOrderMatchers(matchers)
}

function fitsAll<On>(named: readonly Named<On>[], asked: Matchers, on: On): boolean {
  return named.every(([name, matcher]) => {
    const value = asked[name]
    return value === undefined || matcher.fits(value, on, "deny")
  })
}
