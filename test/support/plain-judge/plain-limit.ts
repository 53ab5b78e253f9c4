import { err, ok, type Result } from "../../../src/std/result.ts"
import type { ClaimWindow, Limit, Policy } from "../../../src/vault/policy/terms.ts"
import type { Order } from "../../../src/venue/payload/payload.ts"
import { fieldUnits, unitsOf, unitsText, whole } from "./plain-amount.ts"
import { dayAround } from "./plain-clock.ts"
import { plainMatch, type PlainMatch, type PlainMatched } from "./plain-match.ts"
import { saidOf, type Said } from "./plain-matchers.ts"
import { makesOrders, orderWords, quantityWords, type PlainOrder } from "./plain-order.ts"
import { plainAccount, textOf, valueAt } from "./plain-request-matchers.ts"
import { mayBeMarket, unitOf } from "./plain-size.ts"
import type { PlainSubject } from "./plain-subject.ts"

/** A claim, its amounts as people read them. */
export type PlainClaim = {
  readonly policy: string
  readonly limit: string
  readonly file: string
  readonly line: number
  readonly meter: string
  readonly window: ClaimWindow
  readonly amount: string
  readonly max: string
  readonly mode: Limit["mode"]
  readonly release: Limit["release"]
}

/** What each part of an order costs, and what the order may lose at once, in units; `null` where it can't be told. */
export type PlainSizes = readonly {
  readonly parts: readonly (bigint | null)[]
  readonly loss: bigint | null
}[]

type Counting = {
  readonly limit: Limit
  readonly subject: PlainSubject
  readonly match: PlainMatch
  readonly sizes: PlainSizes
}
/** Amounts by what they are amounts of: two assets are never added. */
type Counted = Result<readonly (readonly [group: string, units: bigint])[], Said>

/** What a limit claims of a request, or why it can't tell. */
export function plainClaims(
  policy: Policy,
  limit: Limit,
  { subject, sizes }: { readonly subject: PlainSubject; readonly sizes: PlainSizes },
): Result<readonly PlainClaim[], Said> {
  const match = isOfLane(limit, subject) ? plainMatch(limit, subject) : undefined
  if (match === undefined) return ok([])
  const counted = countedBy({ limit, subject, match, sizes })
  if (!counted.ok) return counted
  const window = windowAround(limit, subject.circumstances.nowMs)
  if (window === undefined) return err(unreadable("the day, which no calendar has"))
  const sums = new Map<string, bigint>()
  for (const [group, units] of counted.value) sums.set(group, (sums.get(group) ?? 0n) + units)
  const claims = [...sums].filter(([, units]) => units > 0n)
  return ok(
    claims.map(([group, units]) => ({
      policy: policy.name,
      limit: limit.name,
      file: policy.file,
      line: limit.line,
      meter: `${limit.definition}:${JSON.stringify([whom(limit, subject), group])}`,
      window,
      amount: unitsText(units),
      max: unitsText(highestMax(policy, limit, subject)),
      mode: limit.mode,
      release: limit.release,
    })),
  )
}

/** Cancels count where they are named; what else reduces risk counts only in the lane for it. */
function isOfLane({ lane, namesEndpoints }: Limit, { request, profile }: PlainSubject): boolean {
  const { operation, payload } = request
  if (["cancelOrder", "cancelBatch", "cancelAll"].includes(operation)) return namesEndpoints
  const isPlaced = operation === "placeOrder" || operation === "placeBatch"
  const orders = isPlaced && payload.kind === "orders" ? payload.orders : []
  const reduces = ({ symbolId, flags, tpsl, algoOrderType }: Order) => {
    const isPerpetual = profile.symbols.byId.get(symbolId)?.market === "perp"
    const hasLegs = tpsl !== undefined || (algoOrderType ?? "").endsWith("tpsl")
    return isPerpetual && flags.includes("reduce_only") && !hasLegs
  }
  return (orders.length > 0 && orders.every(reduces)) === (lane === "reduce")
}

function countedBy(counting: Counting): Counted {
  const { limit, subject, match } = counting
  const { request } = subject
  const { kind } = limit.counted
  if (kind === "field") return fieldSum(limit.counted, subject)
  if (kind === "requests" || kind === "orders") return countOf(kind, counting)
  if (!makesOrders(request)) return ok([])
  if (match.orders === undefined || request.operation === "chaseOrder") {
    return err(unreadable(`${request.operation}, the size of whose orders can't be read`))
  }
  return joined(
    match.orders.map((matched) =>
      named(
        matched.read.order,
        kind === "submitted_quantity" ? quantity(matched, counting) : inQuote(matched, counting),
      ),
    ),
  )
}

function named(order: Order, counted: Counted): Counted {
  return counted.ok ? counted : err(saidOf(order, counted.error))
}

function countOf(kind: "requests" | "orders", { limit, subject, match }: Counting): Counted {
  const { request } = subject
  if (match.orders !== undefined) {
    const groups = match.orders.map(({ read }) =>
      limit.per === "symbol" ? String(read.order.symbolId) : "",
    )
    const counted = kind === "orders" ? groups : [...new Set(groups)]
    return ok(counted.map((group) => [group, whole]))
  }
  if (limit.per === "symbol") {
    return err(unreadable(`${request.operation}, the symbol of whose orders can't be read`))
  }
  const count = kind === "orders" ? itemsOf(subject) : 1
  if (Number.isSafeInteger(count)) return ok([["", BigInt(count) * whole]])
  return err(unreadable(`${request.operation}, the number of whose orders can't be read`))
}

/** Where orders can't be read, the items of a batch count. */
function itemsOf({ request: { payload } }: PlainSubject): number {
  if (payload.kind === "orders") return payload.orders.length
  return payload.kind === "opaque" ? payload.batchLength : 1
}

/** What an order may lose isn't told of its parts. */
function inQuote({ index, read, isMatched }: PlainMatched, counting: Counting): Counted {
  const { limit, subject, sizes } = counting
  const symbol = subject.profile.symbols.byId.get(read.order.symbolId)
  if (symbol === undefined) return err(unsized(read, counting))
  const group = limit.per === "symbol" ? String(symbol.id) : symbol.quote
  const counted = (units: bigint | null | undefined): Counted =>
    units === null || units === undefined ? err(unsized(read, counting)) : ok([[group, units]])
  if (limit.counted.kind === "worst_cost") return counted(sizes[index]?.loss)
  return joined(
    read.parts.map((part, place): Counted => {
      if (!isMatched(part) || !isCounted(place, subject)) return ok([])
      return counted(sizes[index]?.parts[place])
    }),
  )
}

function quantity({ read, isMatched }: PlainMatched, { subject }: Counting): Counted {
  const unit = unitOf(read, subject.profile)
  if (!unit.ok || unit.value === "quote") {
    const words = quantityWords(read.order, subject.profile)
    return err(unreadable(`${words}, which can't be told in base units`))
  }
  const counted = read.parts.filter((part, place) => isMatched(part) && isCounted(place, subject))
  return ok(counted.map(() => [String(read.order.symbolId), unitsOf(read.order.quantity)]))
}

/** Legs aren't where the venue lets one fill alone, and only to reduce. */
function isCounted(place: number, { profile }: PlainSubject): boolean {
  return place === 0 || profile.tpslLegs !== "oco_reduce_only"
}

function fieldSum(
  { pointer, by }: Extract<Limit["counted"], { readonly kind: "field" }>,
  { request: { body } }: PlainSubject,
): Counted {
  const units = fieldUnits(valueAt(body, pointer.text))
  if (units === undefined) return err(unreadable(`${pointer.text}, which isn't an amount`))
  if (by === undefined) return ok([["", units]])
  const asset = textOf(valueAt(body, by.text))
  if (asset === undefined) return err(unreadable(`${by.text}, which isn't a text`))
  return ok([[asset, units]])
}

function windowAround({ window }: Limit, nowMs: number): ClaimWindow | undefined {
  if (window.kind === "rolling") return window
  const day = dayAround(window.zone, nowMs)
  return day && { kind: "day", ...day }
}

/** What is written, or what was given for a while where that is more. */
function highestMax(policy: Policy, limit: Limit, { circumstances }: PlainSubject): bigint {
  const names = [limit.name, `${policy.name}/${limit.name}`]
  const raises = circumstances.raises.filter((raise) => names.includes(raise.limit))
  return [limit, ...raises]
    .map(({ max }) => unitsOf(max))
    .reduce((most, next) => (next > most ? next : most))
}

function whom({ per }: Limit, { request }: PlainSubject): string {
  const account = plainAccount(request)
  const { client, key } = request
  return { client, key: key.name, account, symbol: "", all: "" }[per]
}

/** All that is counted, or the first that can't be. */
function joined(all: readonly Counted[]): Counted {
  return all.find((counted) => !counted.ok) ?? ok(all.flatMap((it) => (it.ok ? it.value : [])))
}

function unreadable(asked: string): Said {
  return { reason: "limit_unreadable", asked, allowed: null }
}

function unsized({ order, parts }: PlainOrder, { limit, subject }: Counting): Said {
  const isLoss = limit.counted.kind === "worst_cost"
  const slips = isLoss ? parts.some(mayBeMarket) : order.orderType === "market"
  const needs = ["a fresh reference price"]
  if (slips) needs.push("slippage")
  if (order.priceMatch !== undefined) needs.push("a price_match_band in its rule")
  if (isLoss && order.tpsl?.mode === "full") needs.push("tpsl_mode partial")
  const what = isLoss ? "worst cost" : "size in quote units"
  const asked = `${orderWords(order, subject.profile)}, whose ${what} takes ${needs.join(" and ")}`
  return { reason: "notional_unknown", asked, allowed: null }
}
