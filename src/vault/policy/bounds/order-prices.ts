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
import type { DenialReason } from "../terms/decision.ts"
import { namedPrice, type JudgedOrder, type NamedPrice } from "../judged/judged-order.ts"

/** The prices in an entry or a leg, each with its meaning. */
export function partPrices(part: JudgedOrder): readonly NamedPrice[] {
  return part.leg === undefined ? entryPrices(part.order) : legPrices(part)
}

/** Of an entry: its price and its trigger price. */
export function entryPrices(order: Order): readonly NamedPrice[] {
  return [
    ...(order.price === undefined ? [] : [namedPrice("its price", order.price)]),
    ...(order.conditional === undefined
      ? []
      : [namedPrice("its trigger price", order.conditional.triggerPrice)]),
  ]
}

/** Of a leg: its trigger price and its price; none of an entry. */
export function legPrices({ part, leg }: JudgedOrder): readonly NamedPrice[] {
  if (leg === undefined) return []
  const owner = part === "take_profit" ? "the take-profit leg's" : "the stop-loss leg's"
  const trigger = namedPrice(`${owner} trigger price`, leg.triggerPrice)
  return leg.orderPrice === undefined
    ? [trigger]
    : [trigger, namedPrice(`${owner} price`, leg.orderPrice)]
}

type Surcharge = { readonly factor: Decimal; readonly words: () => string } | undefined

/** How far above its price an order may fill: its slippage, or the rule's band for a price that the venue picks. */
export function surchargeOf(
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

/** The slippage that an order says. */
export function slippageOf({ slippage }: Order): Surcharge {
  return slippage && { factor: slippage, words: () => `slippage ${formatDecimal(slippage)}` }
}

/** A price with what it may be exceeded by. */
export function charged(start: NamedPrice, surcharge: Surcharge): NamedPrice {
  if (surcharge === undefined) return start
  const price = multiplyDecimals(start.price, addDecimals(one, surcharge.factor))
  return {
    price,
    words: () => `${formatDecimal(price)} (${start.words()} and ${surcharge.words()})`,
  }
}

/** The highest of prices. */
export function highest([first, ...others]: readonly [NamedPrice, ...NamedPrice[]]): NamedPrice {
  return others.reduce(
    (most, next) => (compareDecimals(next.price, most.price) > 0 ? next : most),
    first,
  )
}
