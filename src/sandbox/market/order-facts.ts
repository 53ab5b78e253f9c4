// What an open order's record says, as the market needs it.

import { readUnits } from "../state/market.ts"
import type { OpenOrder } from "../state/records.ts"
import { positionOf, settingsIn, symbolOf } from "./market.ts"
import { size } from "./positions.ts"
import type { Market, PositionSide } from "../state/market-state.ts"

/** What isn't filled of an order. */
export function restOf(order: OpenOrder): bigint {
  return readUnits(String(order.quantity)) - readUnits(order.filled_quantity ?? "0")
}

/** Whether an order waits for a trigger. */
export function isWaiting(order: OpenOrder): boolean {
  return order.is_waiting === true
}

/** An account's open orders. */
export function ownOrders({ book }: Market, account: string): readonly OpenOrder[] {
  return Array.from(book.orders.values()).filter((order) => order.account_address === account)
}

/** The side of the position that an order changes: `both` unless its account holds both sides apart. */
export function sideOf(order: Pick<OpenOrder, "position_side">): PositionSide {
  return order.position_side ?? "both"
}

/**
 * The most that an order may trade before it would add to a position, where it may only close: one that is `reduce_only`, and
 * one against its own side where both sides are held apart. `undefined` where it may open.
 */
export function closable(market: Market, order: OpenOrder): bigint | undefined {
  const side = sideOf(order)
  const isClosing = side !== "both" && (side === "long") !== (order.is_buy === true)
  return isClosing || order.reduce_only === true ? reducible(market, order) : undefined
}

/** How much of a position an order would take away. */
export function reducible(market: Market, order: OpenOrder): bigint {
  const symbol = symbolOf(order.symbol_id)
  const held = positionOf(market, order.account_address, { symbol, side: sideOf(order) })
  return held.quantity < 0n === (order.is_buy === true) ? size(held.quantity) : 0n
}

/** Whether an account holds both sides of a symbol apart. */
export function isHedged(market: Market, account: string): boolean {
  return settingsIn(market, account).positionMode === "hedge"
}
