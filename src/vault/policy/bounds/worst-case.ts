import { err, ok, type Result } from "../../../std/result.ts"
import {
  addDecimals,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  one,
  type Decimal,
} from "../../../venue/decimal.ts"
import type { Order } from "../../../venue/payload/payload.ts"
import type { Profile } from "../../../venue/profile.ts"
import type { DenialReason, Mismatch } from "../terms/decision.ts"
import type { JudgedOrder, ReadOrder, Subject } from "../judged/judged-order.ts"
import type { SizeBound } from "../terms/policy.ts"

/** A price, and where it comes from, for people. */
export type WorstPrice = { readonly price: Decimal; readonly words: () => string }

/**
 * The unit that an order's quantity is in.
 *
 * Quote units only for a market order without algo, on a symbol that the table calls spot. Outside perpetuals, an
 * order that may become a market order needs `market_order_type`, its own or the profile's: the interface
 * discloses no default, and either reading can be the larger one.
 */
export function quantityUnit(
  read: ReadOrder,
  profile: Profile,
): Result<"base" | "quote", DenialReason> {
  const { order, symbol } = read
  const unit = order.marketOrderType ?? undisclosedUnit(read, profile)
  if (unit === undefined) return err("market_order_type_required")
  if (unit === "base") return ok("base")
  const isQuote = symbol?.market === "spot" && isPlainMarketOrder(order)
  return isQuote ? ok("quote") : err("size_unreadable")
}

/**
 * The highest price at which an order may fill, as far as its request says.
 *
 * A limit buy can't fill above its price. A sell, a trigger or a market order can fill above the price in the
 * request, so it counts at the reference price or more. The interface doesn't say whether an order's
 * slippage applies to its legs: if the order has slippage, its legs count with it too. Legs need none.
 */
export function worstPrice(
  judged: JudgedOrder,
  reference: Decimal,
  priceMatchBand: Decimal | undefined,
): Result<WorstPrice, DenialReason> {
  const referenced = named("the reference price", reference)
  const { order } = judged
  if (judged.leg !== undefined) {
    const slippage = mayBeMarket(judged) ? slippageOf(order) : undefined
    return ok(charged(highest([referenced, ...legPrices(judged)]), slippage))
  }
  if (!isPriceReadable(order)) return err("size_unreadable")
  if (isPlainLimitBuy(order) && order.price !== undefined) {
    return ok(named("its price", order.price))
  }
  const surcharge = surchargeOf(order, priceMatchBand)
  if (!surcharge.ok) return surcharge
  return ok(charged(highest([referenced, ...entryPrices(order)]), surcharge.value))
}

function undisclosedUnit(
  { parts, symbol }: ReadOrder,
  profile: Profile,
): "base" | "quote" | undefined {
  if (symbol?.market === "perp" || !parts.some(mayBeMarket)) return "base"
  return profile.defaultMarketOrderType
}

/** Whether a part may become a market order, as far as it can be read. */
export function mayBeMarket({ orderTypes }: JudgedOrder): boolean {
  return orderTypes?.includes("market") ?? true
}

function isPlainMarketOrder(order: Order): boolean {
  return (
    order.orderType === "market" &&
    order.algoOrderType === undefined &&
    order.conditional === undefined &&
    order.tpsl === undefined
  )
}

function isPlainLimitBuy(order: Order): boolean {
  return (
    order.isBuy &&
    order.orderType === "limit" &&
    order.priceMatch === undefined &&
    order.conditional === undefined &&
    order.algoOrderType !== "tpsl"
  )
}

/**
 * Whether an order has the fields that its price is read from. The venue's rules make sure of it, but the judge
 * doesn't rely on that.
 */
export function isPriceReadable(order: Order): boolean {
  if (order.algoOrderType === "tpsl") return order.tpsl !== undefined
  if (order.algoOrderType === "conditional" && order.conditional === undefined) return false
  if (order.orderType === "limit") {
    return order.price !== undefined || order.priceMatch !== undefined
  }
  return order.orderType === "market"
}

/** The prices in an entry or a leg, each with its meaning. */
export function partPrices(part: JudgedOrder): readonly WorstPrice[] {
  return part.leg === undefined ? entryPrices(part.order) : legPrices(part)
}

function entryPrices(order: Order): readonly WorstPrice[] {
  return [
    ...(order.price === undefined ? [] : [named("its price", order.price)]),
    ...(order.conditional === undefined
      ? []
      : [named("its trigger price", order.conditional.triggerPrice)]),
  ]
}

function legPrices({ part, leg }: JudgedOrder): readonly WorstPrice[] {
  if (leg === undefined) return []
  const owner = part === "take_profit" ? "the take-profit leg's" : "the stop-loss leg's"
  const trigger = named(`${owner} trigger price`, leg.triggerPrice)
  return leg.orderPrice === undefined
    ? [trigger]
    : [trigger, named(`${owner} price`, leg.orderPrice)]
}

type Surcharge = { readonly factor: Decimal; readonly words: () => string } | undefined

/** How far above its price an order may fill: its slippage, or the rule's band for a price that the venue picks. */
function surchargeOf(
  order: Order,
  priceMatchBand: Decimal | undefined,
): Result<Surcharge, DenialReason> {
  if (order.orderType === "market") {
    const slippage = slippageOf(order)
    return slippage === undefined ? err("slippage_required") : ok(slippage)
  }
  if (order.priceMatch === undefined) return ok(undefined)
  if (priceMatchBand === undefined) return err("price_match_band_required")
  return ok({
    factor: priceMatchBand,
    words: () => `the price_match_band ${formatDecimal(priceMatchBand)}`,
  })
}

function slippageOf({ slippage }: Order): Surcharge {
  return slippage && { factor: slippage, words: () => `slippage ${formatDecimal(slippage)}` }
}

function charged(start: WorstPrice, surcharge: Surcharge): WorstPrice {
  if (surcharge === undefined) return start
  const price = multiplyDecimals(start.price, addDecimals(one, surcharge.factor))
  return {
    price,
    words: () => `${formatDecimal(price)} (${start.words()} and ${surcharge.words()})`,
  }
}

function named(words: string, price: Decimal): WorstPrice {
  return { price, words: () => `${words} ${formatDecimal(price)}` }
}

function highest([first, ...others]: readonly [WorstPrice, ...WorstPrice[]]): WorstPrice {
  return others.reduce(
    (most, next) => (compareDecimals(next.price, most.price) > 0 ? next : most),
    first,
  )
}

/** What one order adds to a bound. Amounts of one `group` are summed. */
export type BoundedAmount = {
  readonly group: string
  readonly unit: string
  readonly amount: Decimal
  readonly max: Decimal
}

/** The amount of `bound` for a symbol; `undefined` when it has none. */
export function boundFor(bound: SizeBound, symbolId: number): Decimal | undefined {
  if (bound.kind === "scalar") return bound.amount
  return bound.amountBySymbol.get(symbolId) ?? bound.defaultAmount
}

/**
 * The first order whose amount is refused, or else the first group whose sum is over its maximum. The sum keeps a
 * batch from splitting an order that is too large.
 */
export function overMax(
  reason: "quantity_over_max" | "notional_over_max",
  { orders = [] }: Subject,
  amountOf: (read: ReadOrder) => Result<BoundedAmount | undefined, Mismatch>,
): Mismatch | undefined {
  const amounts: BoundedAmount[] = []
  for (const read of orders) {
    const amount = amountOf(read)
    if (!amount.ok) return amount.error
    if (amount.value !== undefined) amounts.push(amount.value)
  }
  const over = summed(amounts).find((sum) => compareDecimals(sum.amount, sum.max) > 0)
  return (
    over && {
      reason,
      asked: () => `${formatDecimal(over.amount)} ${over.unit} (${over.count} orders together)`,
      allowed: () => formatDecimal(over.max),
    }
  )
}

type Sum = BoundedAmount & { readonly count: number }

function summed(amounts: readonly BoundedAmount[]): readonly Sum[] {
  const sums = new Map<string, Sum>()
  for (const next of amounts) {
    const sum = sums.get(next.group)
    const amount = sum === undefined ? next.amount : addDecimals(sum.amount, next.amount)
    sums.set(next.group, { ...next, amount, count: (sum?.count ?? 0) + 1 })
  }
  return [...sums.values()]
}
