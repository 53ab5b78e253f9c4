import { err, ok, type Result } from "../../../src/std/result.ts"
import type { DenialReason } from "../../../src/vault/policy/terms.ts"
import type { Order } from "../../../src/venue/payload/payload.ts"
import type { Profile } from "../../../src/venue/profile.ts"
import { decimalText, times, unitsOf, unitsText, whole } from "./plain-amount.ts"
import { quantityWords, type PlainOrder, type PlainPart } from "./plain-order.ts"

/** An amount and where it comes from. */
export type Worded = { readonly units: bigint; readonly words: string }

/** What an order is sized by besides itself. */
export type Pricing = {
  readonly reference: bigint
  readonly matchBand: bigint | undefined
  readonly profile: Profile
}

/** Whether a part may become a market order. */
export function mayBeMarket({ values }: PlainPart): boolean {
  return values.orderTypes === undefined || values.orderTypes.includes("market")
}

/** What an order's quantity counts: base or quote units, or why it can't be told. */
export function unitOf(
  read: PlainOrder,
  { defaultMarketOrderType }: Profile,
): Result<"base" | "quote", DenialReason> {
  const isBase = read.market === "perp" || !read.parts.some(mayBeMarket)
  const unit = read.order.marketOrderType ?? (isBase ? "base" : defaultMarketOrderType)
  if (unit === undefined) return err("market_order_type_required")
  return unit === "quote" && !isSpotMarket(read) ? err("size_unreadable") : ok(unit)
}

/** A market order without algo, the only one whose quantity may be in quote units. */
function isSpotMarket({ market, order }: PlainOrder): boolean {
  const { orderType, algoOrderType, conditional, tpsl } = order
  const hasAlgo = [algoOrderType, conditional, tpsl].some((field) => field !== undefined)
  return market === "spot" && orderType === "market" && !hasAlgo
}

/** What each part can cost at most, by the table of "The worst price", in quote units. */
export function partCosts(
  read: PlainOrder,
  pricing: Pricing,
): readonly Result<Worded, DenialReason>[] {
  const { order, parts } = read
  const unit = unitOf(read, pricing.profile)
  const quantity = unitsOf(order.quantity)
  return parts.map((part) => {
    if (!unit.ok) return unit
    if (unit.value === "quote") return ok({ units: quantity, words: " as its quantity says" })
    const price = part.leg === undefined ? entryPrice(part, pricing) : ok(legPrice(part, pricing))
    if (!price.ok) return price
    const words = `: ${quantityWords(order, pricing.profile)} at ${price.value.words}`
    return ok({ units: times(quantity, price.value.units), words })
  })
}

/** What costs most of an order's parts, the first of equal ones. */
export function worstCost(read: PlainOrder, pricing: Pricing): Result<Worded, DenialReason> {
  const costs = partCosts(read, pricing)
  const unknown = costs.find((cost) => !cost.ok)
  if (unknown !== undefined) return unknown
  return ok(highest(costs.flatMap((cost) => (cost.ok ? [cost.value] : []))))
}

/** Whether the price that an order asks for can be read. */
export function hasPrice(order: Order): boolean {
  const { algoOrderType, orderType, price, priceMatch, conditional, tpsl } = order
  if (algoOrderType === "tpsl") return tpsl !== undefined
  if (algoOrderType === "conditional" && conditional === undefined) return false
  const isPriced = price !== undefined || priceMatch !== undefined
  return orderType === "market" || (orderType === "limit" && isPriced)
}

/** The prices that a part writes, the trigger of an entry last and that of a leg first. */
export function writtenPrices({ order, leg, prefix }: PlainPart): readonly Worded[] {
  const owner = prefix.startsWith("take") ? "the take-profit leg's" : "the stop-loss leg's"
  const prices =
    leg === undefined
      ? ([
          ["its price", order.price],
          ["its trigger price", order.conditional?.triggerPrice],
        ] as const)
      : ([
          [`${owner} trigger price`, leg.triggerPrice],
          [`${owner} price`, leg.orderPrice],
        ] as const)
  return prices.flatMap(([name, price]) =>
    price === undefined ? [] : [{ units: unitsOf(price), words: `${name} ${decimalText(price)}` }],
  )
}

function entryPrice(entry: PlainPart, pricing: Pricing): Result<Worded, DenialReason> {
  const { order } = entry
  const { orderType, priceMatch, price, slippage } = order
  if (!hasPrice(order)) return err("size_unreadable")
  if (isLimitBuy(order) && price !== undefined) {
    return ok({ units: unitsOf(price), words: `its price ${decimalText(price)}` })
  }
  const start = atLeastReference(entry, pricing)
  if (orderType === "market") {
    if (slippage === undefined) return err("slippage_required")
    return ok(raised(start, unitsOf(slippage), "slippage"))
  }
  if (priceMatch === undefined) return ok(start)
  if (pricing.matchBand === undefined) return err("price_match_band_required")
  return ok(raised(start, pricing.matchBand, "the price_match_band"))
}

/** What may be a market order may slip as far as its order says, if it says anything. */
function legPrice(leg: PlainPart, pricing: Pricing): Worded {
  const { slippage } = leg.order
  const start = atLeastReference(leg, pricing)
  if (slippage === undefined || !mayBeMarket(leg)) return start
  return raised(start, unitsOf(slippage), "slippage")
}

/** A limit buy fills at its price at most, unless the venue picks the price or something triggers it. */
function isLimitBuy({ isBuy, orderType, priceMatch, conditional, algoOrderType }: Order): boolean {
  const isPlain = priceMatch === undefined && conditional === undefined && algoOrderType !== "tpsl"
  return isBuy && orderType === "limit" && isPlain
}

function atLeastReference(part: PlainPart, { reference }: Pricing): Worded {
  const words = `the reference price ${unitsText(reference)}`
  return highest([{ units: reference, words }, ...writtenPrices(part)])
}

function raised({ units, words }: Worded, rate: bigint, name: string): Worded {
  const price = times(units, whole + rate)
  return { units: price, words: `${unitsText(price)} (${words} and ${name} ${unitsText(rate)})` }
}

/** The highest, the first of equal ones. */
function highest(all: readonly Worded[]): Worded {
  return all.reduce((most, next) => (next.units > most.units ? next : most))
}
