import { formatDecimal } from "../../venue/decimal.ts"
import type { Order } from "../../venue/payload.ts"
import type { SymbolTable } from "../../venue/profile.ts"

/** The symbol's name, or its id where venue.yaml doesn't list it. */
export function symbolText(symbolId: number, symbols: SymbolTable): string {
  return symbols.byId.get(symbolId)?.name ?? `symbol ${symbolId}`
}

/** A quantity as people read it, `0.6 BTC-PERP`. */
export function quantityText(order: Order, symbols: SymbolTable): string {
  return `${formatDecimal(order.quantity)} ${symbolText(order.symbolId, symbols)}`
}

/** An order in a few words, `market buy of 0.6 BTC-PERP`. */
export function orderText(order: Order, symbols: SymbolTable): string {
  const type = order.orderType ?? order.algoOrderType ?? "untyped"
  return `${type} ${order.isBuy ? "buy" : "sell"} of ${quantityText(order, symbols)}`
}
