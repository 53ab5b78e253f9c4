import { times, unitsOf, whole } from "./plain-amount.ts"
import type { PlainOrder, PlainPart } from "./plain-order.ts"
import { mayBeMarket, partCosts, type Pricing, unitOf, writtenPrices } from "./plain-size.ts"

/** What an order may lose at once against the reference price, fees too, in units; `null` where that can't be told. */
export function plainLoss(read: PlainOrder, pricing: Pricing): bigint | null {
  if (read.order.tpsl?.mode === "full") return null
  const costs = partCosts(read, pricing)
  let sum = 0n
  for (const [place, part] of read.parts.entries()) {
    const [cost, far] = [costs[place], leewayOf(part, pricing)]
    if (cost?.ok !== true || far === undefined) return null
    const fee = times(cost.value.units, unitsOf(pricing.profile.feeRate))
    sum += fee + lossOf(read, part, { ...pricing, far, most: cost.value.units })
  }
  return sum
}

/** How far off its price a part may fill, as a fraction. */
function leewayOf(part: PlainPart, { matchBand }: Pricing): bigint | undefined {
  const { order, leg } = part
  const isMarket = leg === undefined ? order.orderType === "market" : mayBeMarket(part)
  if (isMarket) return order.slippage && unitsOf(order.slippage)
  return leg === undefined && order.priceMatch !== undefined ? matchBand : 0n
}

function lossOf(
  read: PlainOrder,
  part: PlainPart,
  { far, most, ...pricing }: Pricing & { readonly far: bigint; readonly most: bigint },
): bigint {
  const { order } = read
  const quantity = unitsOf(order.quantity)
  const unit = unitOf(read, pricing.profile)
  if (unit.ok && unit.value === "quote") {
    const loss = times(quantity, far)
    return order.isBuy ? loss : loss + 2n * times(loss, far)
  }
  const prices = [pricing.reference, ...writtenPrices(part).map(({ units }) => units)]
  const least = prices.reduce((low, next) => (next < low ? next : low))
  const lowest = far > whole ? 0n : times(least, whole - far)
  const fair = times(quantity, pricing.reference)
  const losses: Readonly<Record<string, bigint>> = {
    buy: most - fair,
    sell: fair - times(quantity, lowest),
  }
  const own = part.values.sides?.map((side) => losses[side] ?? 0n) ?? []
  return own.reduce((worst, next) => (next > worst ? next : worst), 0n)
}
