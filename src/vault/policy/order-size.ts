import { err, ok, type Result } from "../../std/result.ts"
import {
  addDecimals,
  compareDecimals,
  excessOf,
  formatDecimal,
  maxDecimal,
  minDecimal,
  multiplyDecimals,
  sumDecimals,
  type Decimal,
  one,
  zero,
} from "../../venue/decimal.ts"
import type { Order } from "../../venue/payload/payload.ts"
import type { Profile } from "../../venue/profile.ts"
import {
  mayBeMarket,
  type ReadOrder,
  quantityText,
  sidesOf,
  type Subject,
  type JudgedOrder,
} from "./match/judged-request.ts"
import type { OrderSize, DenialReason } from "./terms.ts"

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

function undisclosedUnit({ parts, symbol }: ReadOrder, profile: Profile) {
  if (symbol?.market === "perp" || !parts.some(mayBeMarket)) return "base"
  return profile.defaultMarketOrderType
}

function isPlainMarketOrder(order: Order): boolean {
  return (
    order.orderType === "market" &&
    order.algoOrderType === undefined &&
    order.conditional === undefined &&
    order.tpsl === undefined
  )
}

/**
 * The highest price at which an order may fill, as far as its request says.
 *
 * A limit buy can't fill above its price. A sell, a trigger or a market order can fill above the price in the
 * request, so it counts at the reference price or more. The interface doesn't say whether an order's
 * slippage applies to its legs: if the order has slippage, its legs count with it too. Legs need none.
 */
function worstPrice(
  judged: JudgedOrder,
  reference: Decimal,
  priceMatchBand: Decimal | undefined,
): Result<NamedPrice, DenialReason> {
  const referenced = namedPrice("the reference price", reference)
  const { order } = judged
  if (judged.leg !== undefined) {
    const slippage = mayBeMarket(judged) ? slippageOf(order) : undefined
    return ok(charged(highest([referenced, ...legPrices(judged)]), slippage))
  }
  if (!isPriceReadable(order)) return err("size_unreadable")
  if (isPlainLimitBuy(order) && order.price !== undefined) {
    return ok(namedPrice("its price", order.price))
  }
  const surcharge = surchargeOf(judged, priceMatchBand)
  if (!surcharge.ok) return surcharge
  return ok(charged(highest([referenced, ...entryPrices(order)]), surcharge.value))
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

/** A price, and where it comes from, for people. */
type NamedPrice = { readonly price: Decimal; readonly words: () => string }

function namedPrice(words: string, price: Decimal): NamedPrice {
  return { price, words: () => `${words} ${formatDecimal(price)}` }
}

/** The prices in an entry or a leg, each with its meaning. */
export function partPrices(part: JudgedOrder): readonly NamedPrice[] {
  return part.leg === undefined ? entryPrices(part.order) : legPrices(part)
}

/** Of an entry: its price and its trigger price. */
function entryPrices(order: Order): readonly NamedPrice[] {
  return [
    ...(order.price === undefined ? [] : [namedPrice("its price", order.price)]),
    ...(order.conditional === undefined
      ? []
      : [namedPrice("its trigger price", order.conditional.triggerPrice)]),
  ]
}

/** Of a leg: its trigger price and its price; none of an entry. */
function legPrices({ part, leg }: JudgedOrder): readonly NamedPrice[] {
  if (leg === undefined) return []
  const owner = part === "take_profit" ? "the take-profit leg's" : "the stop-loss leg's"
  const trigger = namedPrice(`${owner} trigger price`, leg.triggerPrice)
  return leg.orderPrice === undefined
    ? [trigger]
    : [trigger, namedPrice(`${owner} price`, leg.orderPrice)]
}

type Surcharge = { readonly factor: Decimal; readonly words: () => string } | undefined

/**
 * How far from its price a part may fill: its slippage, or the rule's band for a price that the venue picks. A leg that
 * becomes a market order has to say it where a cost is asked for: without it there is no price that it can't fill at.
 */
function surchargeOf(
  part: JudgedOrder,
  priceMatchBand: Decimal | undefined,
): Result<Surcharge, DenialReason> {
  const { order, leg } = part
  if (leg === undefined ? order.orderType === "market" : mayBeMarket(part)) {
    const slippage = slippageOf(order)
    return slippage === undefined ? err("slippage_required") : ok(slippage)
  }
  if (leg !== undefined || order.priceMatch === undefined) return ok(undefined)
  if (priceMatchBand === undefined) return err("price_match_band_required")
  return ok({
    factor: priceMatchBand,
    words: () => `the price_match_band ${formatDecimal(priceMatchBand)}`,
  })
}

/** The slippage that an order says. */
function slippageOf({ slippage }: Order): Surcharge {
  return slippage && { factor: slippage, words: () => `slippage ${formatDecimal(slippage)}` }
}

/** A price with what it may be exceeded by. */
function charged(start: NamedPrice, surcharge: Surcharge): NamedPrice {
  if (surcharge === undefined) return start
  const price = multiplyDecimals(start.price, addDecimals(one, surcharge.factor))
  return {
    price,
    words: () => `${formatDecimal(price)} (${start.words()} and ${surcharge.words()})`,
  }
}

/** The highest of prices. */
function highest([first, ...others]: readonly [NamedPrice, ...NamedPrice[]]): NamedPrice {
  const higher = (a: NamedPrice, b: NamedPrice) => (compareDecimals(b.price, a.price) > 0 ? b : a)
  return others.reduce(higher, first)
}

/** An amount in quote units, and how it was computed, for people. */
type Notional = { readonly amount: Decimal; readonly words: () => string }

/** What sizing an order needs besides the order. */
type Sizing = Readonly<{
  reference: Decimal
  priceMatchBand: Decimal | undefined
  profile: Profile
}>

/** The most that one entry or leg can cost, in quote units, or why that isn't known. */
function partNotional(
  read: ReadOrder,
  part: JudgedOrder,
  { reference, priceMatchBand, profile }: Sizing,
): Result<Notional, DenialReason> {
  const { order } = read
  const unit = quantityUnit(read, profile)
  if (!unit.ok) return unit
  if (unit.value === "quote")
    return ok({ amount: order.quantity, words: () => " as its quantity says" })

  const at = worstPrice(part, reference, priceMatchBand)
  if (!at.ok) return at
  return ok({
    amount: multiplyDecimals(order.quantity, at.value.price),
    words: () => `: ${quantityText(order, profile.symbols)} at ${at.value.words()}`,
  })
}

/**
 * The size of every order of a request: one for the entry, one for each leg. `null` if it isn't known: no fresh
 * price, a symbol that venue.yaml doesn't list, or a chase, which moves its price by itself.
 */
export function orderSizes(
  { orders = [], request, circumstances }: Subject,
  priceMatchBand: Decimal | undefined,
): readonly OrderSize[] {
  const { profile } = circumstances
  return orders.map((read): OrderSize => {
    const isSized = request.operation !== "chaseOrder" && read.symbol !== undefined
    const reference = isSized ? read.reference : undefined
    const amounts = read.parts.map((part) => {
      if (reference === undefined) return null
      const notional = partNotional(read, part, { reference, priceMatchBand, profile })
      return notional.ok ? notional.value.amount : null
    })
    const [entry = null, ...legs] = amounts
    return { entry, legs, cost: isSized ? worstCost(read, { priceMatchBand, profile }) : null }
  })
}

/** What an order may lose at once, by the reference price or the one that is held back; `null` without a fresh one. */
function worstCost(read: ReadOrder, sizing: Omit<Sizing, "reference">): Decimal | null {
  const costs = read.references.map((reference) => orderCost(read, { reference, ...sizing }))
  const [first = null, ...others] = costs.filter((cost) => cost !== null)
  return first && maxDecimal(first, ...others)
}

/**
 * Entry and legs added, whatever `tpsl_legs` says: a leg loses too, and only the profile's word keeps both from filling.
 * One that closes a whole position has no quantity to tell by.
 */
function orderCost(read: ReadOrder, sizing: Sizing): Decimal | null {
  if (read.order.tpsl?.mode === "full") return null
  return sumDecimals(read.parts.map((part) => partCost(read, part, sizing)))
}

/** How much worse than at the reference price one entry or leg can fill, and the fee. */
function partCost(read: ReadOrder, part: JudgedOrder, sizing: Sizing): Decimal | null {
  const { order } = read
  const [unit, notional] = [quantityUnit(read, sizing.profile), partNotional(read, part, sizing)]
  const leeway = surchargeOf(part, sizing.priceMatchBand)
  if (!unit.ok || !notional.ok || !leeway.ok) return null
  const off = leeway.value?.factor ?? zero
  const { amount } = notional.value
  const fee = multiplyDecimals(amount, sizing.profile.feeRate)
  if (unit.value === "quote") return addDecimals(fee, quoteLoss(order, off))

  const due = multiplyDecimals(order.quantity, sizing.reference)
  const least = multiplyDecimals(order.quantity, lowestPrice(part, sizing.reference, off))
  const losses = { buy: excessOf(amount, due), sell: excessOf(due, least) }
  return addDecimals(fee, maxDecimal(zero, ...sidesOf(part).map((side) => losses[side])))
}

/** The lowest price at which a part may fill, or the reference price where that is lower. */
function lowestPrice(part: JudgedOrder, reference: Decimal, off: Decimal): Decimal {
  const lowest = partPrices(part).reduce((least, { price }) => minDecimal(least, price), reference)
  return multiplyDecimals(lowest, excessOf(one, off))
}

/**
 * Of a quantity in quote units. A sale for so much may take 1 / (1 - slippage) times the base units. That is less than
 * 1 + 2 × slippage up to a slippage of a half, and the interface takes none above a tenth.
 */
function quoteLoss({ isBuy, quantity }: Order, slippage: Decimal): Decimal {
  const more = isBuy ? one : addDecimals(one, addDecimals(slippage, slippage))
  return multiplyDecimals(multiplyDecimals(quantity, slippage), more)
}

/** The costliest of entry and legs; `undefined` when one of them can't be sized. */
export function worstOf(size: OrderSize | undefined): Decimal | undefined {
  const parts = size === undefined ? [] : [size.entry, ...size.legs]
  const [first, ...others] = parts.filter((part) => part !== null)
  if (first === undefined || others.length + 1 < parts.length) return undefined
  return maxDecimal(first, ...others)
}

/** The costliest of the entry and legs of one order. */
export function worstNotional(read: ReadOrder, sizing: Sizing): Result<Notional, DenialReason> {
  let worst: Notional | undefined
  for (const part of read.parts) {
    const notional = partNotional(read, part, sizing)
    if (!notional.ok) return notional
    const { amount } = notional.value
    if (worst === undefined || compareDecimals(amount, worst.amount) > 0) worst = notional.value
  }
  return worst === undefined ? err("size_unreadable") : ok(worst)
}
