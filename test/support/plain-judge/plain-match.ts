import type { Entry } from "../../../src/vault/policy/terms.ts"
import { asksOfOrders, orderMatchers } from "./plain-matchers.ts"
import { orderWords, type PlainOrder, type PlainPart } from "./plain-order.ts"
import { requestMatchers } from "./plain-request-matchers.ts"
import type { PlainSubject } from "./plain-subject.ts"

/** An order of which an entry matches something, with its place in the request. */
export type PlainMatched = {
  readonly index: number
  readonly read: PlainOrder
  readonly isMatched: (part: PlainPart) => boolean
}

/** What an entry of `deny`, `limits` or `hold` matches. */
export type PlainMatch = {
  /** `undefined` where there are none to be read: the entry matches the request as a whole. */
  readonly orders: readonly PlainMatched[] | undefined
  readonly words: string
}

/** Holds an entry of `deny`, `limits` or `hold` against a request; `undefined` when it doesn't match. */
export function plainMatch(entry: Entry, subject: PlainSubject): PlainMatch | undefined {
  const { matchers, operations } = entry
  const { request, circumstances, profile, orders } = subject
  const { operation } = request
  const { nowMs } = circumstances
  if (!operations.has(operation)) return undefined
  const odd = requestMatchers.find((says) => says({ matchers, request, nowMs, list: "other" }))
  if (odd !== undefined) return undefined
  const isOfOrders = asksOfOrders(matchers)
  if (orders === undefined) {
    const words = isOfOrders ? `${operation}, whose orders can't be read` : operation
    return { orders, words }
  }
  const isMatched = (part: PlainPart) =>
    orderMatchers.every((says) => says({ matchers, part, profile, list: "other" }) === undefined)
  const matched = orders
    .map((read, index) => ({ index, read, isMatched }))
    .filter(({ read }) => read.parts.some(isMatched))
  const [first] = matched
  if (first === undefined) return undefined
  return { orders: matched, words: isOfOrders ? orderWords(first.read.order, profile) : operation }
}
