import {
  compareDecimals,
  type Decimal,
  maxDecimal,
  multiplyDecimals,
  sumDecimals,
  zero,
} from "../../venue/decimal.ts"

/** Quote units for one base unit of a symbol; `undefined` where it isn't known. */
export type ReferencePrice = (symbolId: number) => Decimal | undefined

/** An open order as far as it can be sized. */
export type PricedOrder = {
  readonly symbolId: number
  readonly isBuy: boolean
  /** Base units. */
  readonly remaining: Decimal
  /** `undefined` where the venue shows none. */
  readonly price: Decimal | undefined
}

/**
 * What open orders come to in quote units, by the reference prices of a moment: a buy at its price, a sell, which fills at
 * its price or above, at the higher of that and the reference, one without a price at the reference. Answers `undefined`
 * where a reference price is needed and isn't known. A symbol's orders are added up again only when its reference moved.
 */
export function openNotionalOf(
  orders: readonly PricedOrder[],
): (referencePrice: ReferencePrice) => Decimal | undefined {
  const symbols = [...Map.groupBy(orders, ({ symbolId }) => symbolId)].map(([symbolId, own]) => ({
    symbolId,
    notionalAt: rememberLast((reference) =>
      sumDecimals(own.map((order) => sizeOf(order, reference))),
    ),
  }))
  return (referencePrice) =>
    sumDecimals(symbols.map(({ symbolId, notionalAt }) => notionalAt(referencePrice(symbolId))))
}

type BySymbol = (reference: Decimal | undefined) => Decimal | undefined

function rememberLast(make: BySymbol): BySymbol {
  let last: { readonly reference: Decimal; readonly notional: Decimal | undefined } | undefined
  return (reference) => {
    if (reference === undefined) return make(reference)
    if (last === undefined || compareDecimals(last.reference, reference) !== 0) {
      last = { reference, notional: make(reference) }
    }
    return last.notional
  }
}

function sizeOf(
  { isBuy, price, remaining }: PricedOrder,
  reference: Decimal | undefined,
): Decimal | undefined {
  if (isBuy && price !== undefined) return multiplyDecimals(remaining, price)
  if (reference === undefined) return undefined
  return multiplyDecimals(remaining, maxDecimal(reference, price ?? zero))
}
