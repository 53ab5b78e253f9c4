import type { Deny, Over } from "../../../src/vault/policy/terms/policy.ts"
import { unitsOf, unitsText } from "./plain-amount.ts"
import type { PlainSizes } from "./plain-limit.ts"
import { plainMatch, type PlainMatch, type PlainMatched } from "./plain-match.ts"
import { orderWords } from "./plain-order.ts"
import { unitOf } from "./plain-size.ts"
import type { PlainSubject } from "./plain-subject.ts"

type Sized = { readonly subject: PlainSubject; readonly sizes: PlainSizes }

/** A match, and what the first order that matches may be at most. */
type PlainSized = PlainMatch & { readonly allowed: string | null }

/** Holds an entry of `deny` or `hold` against a request, `over_quantity` and `over_notional` too. */
export function plainSized(entry: Deny, sized: Sized): PlainSized | undefined {
  const { over } = entry
  const { subject } = sized
  const match = plainMatch(entry, subject)
  if (match === undefined || over === undefined) return match && { ...match, allowed: null }
  if (match.orders === undefined) {
    const words = `${subject.request.operation}, whose orders can't be read`
    return { ...match, words, allowed: null }
  }
  const orders = match.orders.filter((matched) => !isWithin(over, matched, sized))
  const [first] = orders
  if (first === undefined) return undefined
  const most = mostOf(over, first)
  const unit = over.kind === "notional" ? "quote" : "base"
  const allowed = most === undefined ? null : `${unitsText(most)} in ${unit} units`
  return { orders, words: orderWords(first.read.order, subject.profile), allowed }
}

/** Whether an order is certainly no larger than what is written for its symbol. */
function isWithin(over: Over, matched: PlainMatched, { subject, sizes }: Sized): boolean {
  const most = mostOf(over, matched)
  if (most === undefined) return false
  const { order } = matched.read
  if (over.kind === "notional") {
    const costs = sizes[matched.index] ?? []
    return costs.length > 0 && costs.every((cost) => cost !== null && cost <= most)
  }
  const unit = unitOf(matched.read, subject.profile)
  const isBase = unit.ok && unit.value === "base" && subject.request.operation !== "chaseOrder"
  return isBase && unitsOf(order.quantity) <= most
}

function mostOf({ bound }: Over, { read }: PlainMatched): bigint | undefined {
  if (bound.kind === "scalar") return unitsOf(bound.amount)
  const written = bound.amountBySymbol.get(read.order.symbolId) ?? bound.defaultAmount
  return written && unitsOf(written)
}
