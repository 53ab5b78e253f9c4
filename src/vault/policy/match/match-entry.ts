import { type ReadOrder, orderText, type Subject } from "../terms/judged-order.ts"
import type { Deny, Entry } from "../terms/policy.ts"
import { fitsOrder, usesOrderMatchers, fitsRequest } from "./matchers.ts"

/** One order that an entry matches, where it stands in its request, and the parts that match. */
export type MatchedOrder = {
  readonly index: number
  readonly read: ReadOrder
  /** Entry first, then the legs, as in `read.parts`. At least one is true. */
  readonly isPartMatched: readonly boolean[]
}

/** What of a request an entry of `deny`, `limits` or `hold` matches. */
export type Match = {
  /** `undefined` when the request makes no orders or they can't be read: then it matches as a whole. */
  readonly orders: readonly MatchedOrder[] | undefined
}

/** Matches an entry with a request. One order or leg is enough, and so is what can't be read. */
export function matchEntry(entry: Entry, subject: Subject): Match | undefined {
  const { request, orders } = subject
  if (!entry.operations.has(request.operation)) return undefined
  if (!fitsRequest(entry.matchers, subject, "deny")) return undefined
  if (orders === undefined) return { orders: undefined }

  const matched = orders.flatMap((read, index): readonly MatchedOrder[] => {
    const isPartMatched = read.parts.map((part) => fitsOrder(entry.matchers, part, "deny"))
    return isPartMatched.includes(true) ? [{ index, read, isPartMatched }] : []
  })
  return matched.length === 0 ? undefined : { orders: matched }
}

/** What was matched, in words. */
export function matchText(entry: Deny, { orders }: Match, subject: Subject): string {
  const { request, circumstances } = subject
  const [first] = orders ?? []
  if (!usesOrderMatchers(entry.matchers) && entry.over === undefined) return request.operation
  if (first === undefined) return `${request.operation}, whose orders can't be read`
  return orderText(first.read.order, circumstances.profile.symbols)
}
