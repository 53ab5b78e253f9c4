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

const maxTextLength = 80

/** A text of the bot's as JSON, cut where it is long: a refusal isn't a place to send a body back. */
export function shortText(text: string): string {
  if (text.length <= maxTextLength) return JSON.stringify(text)
  return `${JSON.stringify(text.slice(0, maxTextLength).toWellFormed())}…`
}
