import { err, ok, type Result } from "../../std/result.ts"
import {
  addDecimals,
  one,
  sumDecimals,
  type Decimal,
  wholeDecimal,
  zero,
} from "../../venue/decimal.ts"
import { itemCount } from "../../venue/payload/payload.ts"
import { quantityUnit } from "./order-size.ts"
import type { Match, MatchedOrder } from "./try-entry.ts"
import { fieldAmount, fieldAt, fieldText, type FieldPointer } from "./values/scalars.ts"
import { type OrderSize, ofOrder, type Mismatch, type Counted, type Limit } from "./terms.ts"
import {
  mayBeMarket,
  orderMakingOperations,
  orderText,
  quantityText,
  type Subject,
} from "./match/judged-request.ts"

/** How much a limit counts of a request. Amounts of different groups are never added. */
export type Amount = { readonly group: string; readonly amount: Decimal }

/** What counting needs: the request, the parts of it that the limit matches, and the sizes of all its orders. */
export type Counting = {
  readonly limit: Limit
  readonly subject: Subject
  readonly match: Match
  readonly sizes: readonly OrderSize[]
}

type Amounts = Result<readonly Amount[], Mismatch>

/** How much a limit counts of a request, one amount per group and no zeros; or what can't be read. */
export function limitAmounts(counting: Counting): Amounts {
  const amounts = unsummed(counting, counting.limit.counted)
  if (!amounts.ok) return amounts
  const sums = new Map<string, Decimal>()
  for (const { group, amount } of amounts.value) {
    sums.set(group, addDecimals(sums.get(group) ?? zero, amount))
  }
  const all = [...sums].map(([group, amount]) => ({ group, amount }))
  return ok(all.filter(({ amount }) => amount.coefficient > 0n))
}

function unsummed(counting: Counting, counted: Counted): Amounts {
  switch (counted.kind) {
    case "requests":
      return requestCount(counting)
    case "orders":
      return orderCount(counting)
    case "submitted_notional":
      return everySubmitted(counting, notionals)
    case "submitted_quantity":
      return everySubmitted(counting, quantities)
    case "worst_cost":
      return everySubmitted(counting, costs)
    case "field":
      return fieldSum(counted, counting)
  }
}

function requestCount({ limit, subject, match }: Counting): Amounts {
  if (limit.per !== "symbol") return ok([{ group: "", amount: one }])
  if (match.orders === undefined) return err(unreadableOrders(subject, "symbol"))
  const groups = new Set(match.orders.map(({ read }) => String(read.order.symbolId)))
  return ok([...groups].map((group) => ({ group, amount: one })))
}

/** If the orders can't be read, all of them count. */
function orderCount({ limit, subject, match }: Counting): Amounts {
  if (match.orders !== undefined) {
    const groupOf = ({ read }: MatchedOrder) =>
      limit.per === "symbol" ? String(read.order.symbolId) : ""
    return ok(match.orders.map((order) => ({ group: groupOf(order), amount: one })))
  }
  const count = itemCount(subject.request.payload)
  if (limit.per === "symbol") return err(unreadableOrders(subject, "symbol"))
  if (!Number.isSafeInteger(count)) return err(unreadableOrders(subject, "number"))
  return ok([{ group: "", amount: wholeDecimal(BigInt(count)) }])
}

/** A sum over the orders: nothing if there are none, unreadable for a chase, which moves its price by itself. */
function everySubmitted(
  counting: Counting,
  amountsOf: (order: MatchedOrder, counting: Counting) => Amounts,
): Amounts {
  const { subject, match } = counting
  const { operation } = subject.request
  if (!orderMakingOperations.has(operation)) return ok([])
  if (match.orders === undefined || operation === "chaseOrder") {
    return err(unreadableOrders(subject, "size"))
  }
  const all: Amount[] = []
  for (const order of match.orders) {
    const amounts = amountsOf(order, counting)
    if (!amounts.ok) return err(ofOrder(order.read.order, amounts.error))
    all.push(...amounts.value)
  }
  return ok(all)
}

function notionals(matched: MatchedOrder, counting: Counting): Amounts {
  const size = counting.sizes[matched.index]
  const sizeByPart = size === undefined ? [] : [size.entry, ...size.legs]
  const counted = countedParts(matched, counting.subject).map((part) => sizeByPart[part] ?? null)
  return inQuoteUnits(sumDecimals(counted), matched, counting)
}

/** An order of which any part matches counts whole: its cost is that of entry and legs together. */
function costs(matched: MatchedOrder, counting: Counting): Amounts {
  return inQuoteUnits(counting.sizes[matched.index]?.cost ?? null, matched, counting)
}

/** Symbols with the same quote unit are added, unless the limit is per symbol. */
function inQuoteUnits(
  amount: Decimal | null,
  matched: MatchedOrder,
  { limit, subject }: Counting,
): Amounts {
  const { symbol } = matched.read
  if (symbol === undefined || amount === null) return err(unsized(matched, limit, subject))
  return ok([{ group: limit.per === "symbol" ? String(symbol.id) : symbol.quote, amount }])
}

/** Base units of two symbols are never added, whatever the limit is per. */
function quantities(matched: MatchedOrder, { subject }: Counting): Amounts {
  const { read } = matched
  const { profile } = subject.circumstances
  const unit = quantityUnit(read, profile)
  if (!unit.ok || unit.value === "quote") {
    const asked = `${quantityText(read.order, profile.symbols)}, which can't be told in base units`
    return err({ reason: "limit_unreadable", asked, allowed: null })
  }
  const amount = { group: String(read.order.symbolId), amount: read.order.quantity }
  return ok(countedParts(matched, subject).map(() => amount))
}

/** The matched parts by index, entry first. Legs don't count if the venue fills only one and only to reduce. */
function countedParts(
  { isPartMatched }: MatchedOrder,
  { circumstances }: Subject,
): readonly number[] {
  const isLegCounted = circumstances.profile.tpslLegs !== "oco_reduce_only"
  return isPartMatched.flatMap((isMatched, part) =>
    isMatched && (part === 0 || isLegCounted) ? [part] : [],
  )
}

function fieldSum(
  { pointer, by }: Extract<Counted, { readonly kind: "field" }>,
  { subject }: Counting,
): Amounts {
  const { body } = subject.request
  const amount = fieldAmount(fieldAt(body, pointer))
  if (amount === undefined) return err(unreadableField(pointer, "an amount"))
  if (by === undefined) return ok([{ group: "", amount }])
  const group = fieldText(fieldAt(body, by))
  return group === undefined ? err(unreadableField(by, "a text")) : ok([{ group, amount }])
}

function unreadableOrders({ request }: Subject, what: "symbol" | "size" | "number"): Mismatch {
  const asked = `${request.operation}, the ${what} of whose orders can't be read`
  return { reason: "limit_unreadable", asked, allowed: null }
}

function unreadableField({ text }: FieldPointer, what: string): Mismatch {
  return { reason: "limit_unreadable", asked: `${text}, which isn't ${what}`, allowed: null }
}

function unsized(
  { read: { order, parts } }: MatchedOrder,
  { counted }: Limit,
  { circumstances }: Subject,
): Mismatch {
  const isCost = counted.kind === "worst_cost"
  const isMarket = isCost ? parts.some(mayBeMarket) : order.orderType === "market"
  const needs = [
    "a fresh reference price",
    ...(isMarket ? ["slippage"] : []),
    ...(order.priceMatch === undefined ? [] : ["a price_match_band in its rule"]),
    ...(isCost && order.tpsl?.mode === "full" ? ["tpsl_mode partial"] : []),
  ].join(" and ")
  const what = isCost ? "worst cost" : "size in quote units"
  const asked = `${orderText(order, circumstances.profile.symbols)}, whose ${what} takes ${needs}`
  return { reason: "notional_unknown", asked, allowed: null }
}
