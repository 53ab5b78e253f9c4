import { compareDecimals, formatDecimal, type Decimal } from "../../../venue/decimal.ts"
import { hoursText } from "../match/hours.ts"
import { matchEntry, type Match, type MatchedOrder } from "../match/match-entry.ts"
import type { OrderSize } from "../terms/claim.ts"
import type { Subject } from "../judged/judged-order.ts"
import type { Deny, Over } from "../terms/policy.ts"
import { boundFor, quantityUnit, worstOf } from "./order-size.ts"

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

/** Base units; `undefined` for a chase, and if the quantity is or may be in quote units. */
function baseQuantity({ read }: MatchedOrder, subject: Subject): Decimal | undefined {
  if (subject.request.operation === "chaseOrder") return undefined
  const unit = quantityUnit(read, subject.circumstances.profile)
  return unit.ok && unit.value === "base" ? read.order.quantity : undefined
}
