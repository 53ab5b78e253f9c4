import type { Deny, Over } from "../../../src/vault/policy/terms.ts"
import type { Order } from "../../../src/venue/payload/payload.ts"
import { unitsOf, unitsText } from "./plain-amount.ts"
import type { PlainSizes } from "./plain-limit.ts"
import { plainMatch, type PlainMatch, type PlainMatched } from "./plain-match.ts"
import { asksOfOrders } from "./plain-matchers.ts"
import { orderWords } from "./plain-order.ts"
import { hoursWords } from "./plain-request-matchers.ts"
import { unitOf } from "./plain-size.ts"
import type { PlainSubject } from "./plain-subject.ts"

type Sized = { readonly subject: PlainSubject; readonly sizes: PlainSizes }

/** A match, what the first order that matches may be at most, and which that is where the entry asks of orders. */
type PlainSized = PlainMatch & {
  readonly allowed: string | null
  readonly of: Order | undefined
}

/** Holds an entry of `deny` or `hold` against a request, `over_quantity` and `over_notional` too. */
export function plainSized(entry: Deny, sized: Sized): PlainSized | undefined {
  const { over } = entry
  const match = plainMatch(entry, sized.subject)
  if (match === undefined) return undefined
  if (over === undefined) return { ...match, ...told(entry, match.orders?.[0]) }
  const orders = match.orders?.filter((matched) => !isWithin(over, matched, sized))
  if (orders?.length === 0) return undefined
  const said = told(entry, orders?.[0])
  return { orders, words: overWords(said.of, sized.subject), ...said }
}

function overWords(of: Order | undefined, { request, profile }: PlainSubject): string {
  return of === undefined
    ? `${request.operation}, whose orders can't be read`
    : orderWords(of, profile)
}

/** Which order it is, where the entry asks of orders, and what it doesn't match. */
function told({ over, matchers }: Deny, first: PlainMatched | undefined) {
  const isOfOrders = over !== undefined || asksOfOrders(matchers)
  const allowed = [mostWords(over, first), besideWords(matchers)].filter((words) => words !== "")
  return {
    of: isOfOrders ? first?.read.order : undefined,
    allowed: allowed.length === 0 ? null : allowed.join(", or "),
  }
}

function mostWords(over: Deny["over"], first: PlainMatched | undefined): string {
  const most = over && first && mostOf(over, first)
  if (over === undefined || most === undefined) return ""
  return `${unitsText(most)} in ${over.kind === "notional" ? "quote" : "base"} units`
}

function besideWords({ hours }: Deny["matchers"]): string {
  return hours === undefined ? "" : `outside of ${hoursWords(hours)}`
}

/** Whether an order is certainly no larger than what is written for its symbol. */
function isWithin(over: Over, matched: PlainMatched, { subject, sizes }: Sized): boolean {
  const most = mostOf(over, matched)
  if (most === undefined) return false
  const { order } = matched.read
  if (over.kind === "notional") {
    const size = sizes[matched.index]
    return size?.parts.every((cost) => cost !== null && cost <= most) ?? false
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
