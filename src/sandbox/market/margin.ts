// What an account is worth, and what of it its positions need. All of it is invented.

import { marketSymbols, readUnits, type MarketSymbol } from "../state/market.ts"
import { isWaiting, ownOrders, restOf } from "./order-facts.ts"
import { priceAt, quoteAsset, settingsIn } from "./market.ts"
import { product, shareOf, size, unrealised } from "./positions.ts"
import type { AccountView, Market } from "../state/market-state.ts"

/** Below this share of the value of its positions an account is liquidated: 0.5 %. */
const maintenance = { numerator: 5n, denominator: 1_000n }

/** What an account is worth at a moment, in units of the quote asset. */
export type Worth = {
  /** Everything: all balances at their prices, isolated margin and unrealised profit. */
  readonly equity: bigint
  /** What stands behind its positions: the quote asset, isolated margin and unrealised profit. */
  readonly marginBalance: bigint
  readonly unrealised: bigint
  readonly maintenanceMargin: bigint
}

/** Works out what `view` is worth at the prices of `atMs`. */
export function worthOf(market: Market, view: AccountView, atMs: number): Worth {
  const { balances, isolatedMargin, positions } = view
  const valued = positions.map((position) => {
    const price = priceAt(market, position.symbol, atMs)
    const value = product(size(position.quantity), price)
    return { profit: unrealised(position, price), value }
  })
  const profit = sum(valued.map((each) => each.profit))
  const marginBalance = (balances.get(quoteAsset) ?? 0n) + isolatedMargin + profit
  const others = Array.from(balances)
    .filter(([asset]) => asset !== quoteAsset)
    .map(([asset, units]) => product(units, assetPrice(market, asset, atMs)))
  const value = sum(valued.map((each) => each.value))
  return {
    equity: marginBalance + sum(others),
    marginBalance,
    unrealised: profit,
    maintenanceMargin: shareOf(value, maintenance.numerator, maintenance.denominator),
  }
}

/** What is bound now: each position and each open order that could add to one, at its symbol's leverage. */
export function initialMargin(market: Market, account: string, view: AccountView): bigint {
  const nowMs = market.startMs + market.second * 1_000
  const held = view.positions.map(({ symbol, quantity }) =>
    marginFor(market, account, {
      symbol,
      value: product(size(quantity), priceAt(market, symbol, nowMs)),
    }),
  )
  const resting = ownOrders(market, account)
    .filter((order) => order.reduce_only !== true && !isWaiting(order))
    .flatMap((order) => {
      const symbol = marketSymbols.find(({ id }) => id === order.symbol_id)
      if (symbol?.market !== "perp" || typeof order.price !== "string") return []
      const value = product(restOf(order), readUnits(order.price))
      return marginFor(market, account, { symbol, value })
    })
  return sum([...held, ...resting])
}

/** What a position of this value binds. */
export function marginFor(
  market: Market,
  account: string,
  { symbol, value }: { readonly symbol: MarketSymbol; readonly value: bigint },
): bigint {
  return value / BigInt(settingsIn(market, account).leverage.get(symbol.id) ?? 1)
}

/** A base asset's price is that of its spot symbol; any other asset is worth one. */
function assetPrice(market: Market, asset: string, atMs: number): bigint {
  const spot = marketSymbols.find(
    ({ market: kind, name }) => kind === "spot" && name.startsWith(`${asset}-`),
  )
  return spot === undefined ? readUnits("1") : priceAt(market, spot, atMs)
}

function sum(units: readonly bigint[]): bigint {
  return units.reduce((total, each) => total + each, 0n)
}
