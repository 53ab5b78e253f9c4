// What becomes of an order that comes into a market: checked, traded at once as far as it goes, and the rest of it left to
// wait, or cancelled.

import { balancesOf } from "../state/accounts.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import type { Body } from "../state/fields.ts"
import { decimalText, readUnits } from "../state/market.ts"
import { orderRecord, type OpenOrder } from "../state/records.ts"
import { initialMargin, marginFor, worthOf } from "./margin.ts"
import { quoteAsset, quoteOf, recordEvent, symbolOf } from "./market.ts"
import { bookPrice, dealsAtOnce, type Deal, type Quote } from "./matching.ts"
import { closable, isHedged, reducible, restOf } from "./order-facts.ts"
import { least, marketDigits, product, shareOf } from "./positions.ts"
import { baseOf } from "./price-path.ts"
import { endOrder, trade } from "./trade.ts"
import { currentView, keepOrder } from "./versions.ts"
import type { Market } from "../state/market-state.ts"

/** Where and when an order comes in; `filled` is what a modified one had traded before. */
export type Entry = {
  readonly orderId: string
  readonly account: string
  readonly createdMs: number
  readonly nowMs: number
  readonly filled: string
}

/** Refuses an order that the market can't take: of too many digits, of the wrong side, or of more than the account can pay. */
export function checkEntry(market: Market, body: Body, entry: Entry): Rejection | undefined {
  return (
    checkDigits(body) ?? checkSide(market, body, entry.account) ?? checkMeans(market, body, entry)
  )
}

/** Takes an order that was checked, and tells what became of it. */
export function enterOrder(
  market: Market,
  body: Body,
  entry: Entry,
): { readonly order: OpenOrder; readonly state: "open" | "filled" | "cancelled" } {
  const order = recordOf(market, body, entry)
  recordAccepted(market, order, entry.nowMs)
  // In the book from its first moment, so that what changes it finds it there.
  market.book.orders.set(order.order_id, order)
  if (order.is_waiting === true) return leaveOpen(market, order, entry.nowMs)
  const traded = dealsOf(market, body, order).reduce(
    (current, deal) => trade(market, current, { ...deal, liquidity: "taker", atMs: entry.nowMs }),
    order,
  )
  if (restOf(traded) > 0n && rests(market, body, traded)) {
    return leaveOpen(market, traded, entry.nowMs)
  }
  endOrder(market, traded, entry.nowMs)
  return { order: traded, state: restOf(traded) === 0n ? "filled" : "cancelled" }
}

function leaveOpen(market: Market, order: OpenOrder, atMs: number) {
  market.book.orders.set(order.order_id, order)
  keepOrder(market, order.order_id, { atMs, value: order })
  return { order, state: "open" } as const
}

function recordAccepted(market: Market, order: OpenOrder, nowMs: number): void {
  const { order_id, account_address, symbol_id, is_buy, quantity, price, reduce_only } = order
  const event = { kind: "accepted", at_ms: nowMs, account_address, order_id } as const
  recordEvent(market, { ...event, symbol_id, is_buy, quantity, price, reduce_only })
}

// The order's record.

function recordOf(market: Market, body: Body, entry: Entry): OpenOrder {
  const { orderId, account, createdMs, filled } = entry
  const symbol = symbolOf(body["symbol_id"])
  const quote = quoteOf(market, symbol)
  const made = orderRecord(body, { orderId, account, nowMs: createdMs })
  const price = matchedPrice(body, quote)
  return {
    ...made,
    quantity: decimalText(baseQuantity(body, quote)),
    price: price === undefined ? made.price : decimalText(price),
    filled_quantity: filled,
    reduce_only: hasFlag(body, "reduce_only"),
    position_side: isHedged(market, account) && symbol.market === "perp" ? sideIn(body) : "both",
    is_waiting: body["algo_order_type"] === "conditional" || body["algo_order_type"] === "tpsl",
  }
}

function sideIn(body: Body): "long" | "short" {
  return body["position_side"] === "short" ? "short" : "long"
}

/** A spot order's quantity may be in the quote asset: then it is what that buys at the best price, cut off. */
function baseQuantity(body: Body, quote: Quote): bigint {
  const quantity = readUnits(String(body["quantity"]))
  if (body["market_order_type"] !== "quote") return quantity
  const price = bookPrice(quote, body["is_buy"] === true, 0)
  const fine = readUnits("0.00000001")
  return (shareOf(quantity, readUnits("1"), price) / fine) * fine
}

/** `queue` is one's own side of the book, `counter_party` the other. */
function matchedPrice(body: Body, quote: Quote): bigint | undefined {
  const [, side, level] = /^(queue|counter_party)_([15])$/.exec(String(body["price_match"])) ?? []
  if (side === undefined) return undefined
  const isBuy = (body["is_buy"] === true) === (side === "counter_party")
  return bookPrice(quote, isBuy, Number(level) - 1)
}

function hasFlag({ flags }: Body, name: string): boolean {
  return Array.isArray(flags) && flags.includes(name)
}

// What it trades at once, and whether the rest waits.

function dealsOf(market: Market, body: Body, order: OpenOrder): readonly Deal[] {
  const wanted = least(restOf(order), closable(market, order) ?? restOf(order))
  if (wanted <= 0n) return []
  const quote = quoteOf(market, symbolOf(order.symbol_id))
  const limit = limitOf(body, order, quote)
  const isBuy = order.is_buy === true
  const deals = dealsAtOnce(quote, { isBuy, quantity: wanted, limit })
  const traded = deals.reduce((sum, { quantity }) => sum + quantity, 0n)
  const isAllOrNone = body["time_in_force"] === "fok" && traded < restOf(order)
  return isAllOrNone || hasFlag(body, "post_only") ? [] : deals
}

/** Whether what is left of an order may wait. A `post_only` order that would have traded at once may not. */
function rests(market: Market, body: Body, order: OpenOrder): boolean {
  if (order.order_type !== "limit" || (body["time_in_force"] ?? "gtc") !== "gtc") return false
  const allowed = closable(market, order)
  if (allowed !== undefined && allowed <= 0n) return false
  const quote = quoteOf(market, symbolOf(order.symbol_id))
  const isBuy = order.is_buy === true
  const asTaken = { isBuy, quantity: restOf(order), limit: limitOf(body, order, quote) }
  return !hasFlag(body, "post_only") || dealsAtOnce(quote, asTaken).length === 0
}

const defaultSlippage = "0.05"

/** A limit order's price, or how far a market order goes. */
function limitOf(body: Body, order: OpenOrder, { price }: Quote): bigint {
  if (order.order_type === "limit") return readUnits(String(order.price))
  const away = product(price, readUnits(textOf(body, "slippage") ?? defaultSlippage))
  return order.is_buy === true ? price + away : price - away
}

function textOf(body: Body, name: string): string | undefined {
  const value = body[name]
  return typeof value === "string" ? value : undefined
}

// What is refused.

function checkDigits(body: Body): Rejection | undefined {
  const tooFine = ["quantity", "price", "slippage"].find((name) => {
    const [whole = "", fraction = ""] = (textOf(body, name) ?? "").split(".")
    return whole.length > marketDigits || fraction.length > marketDigits
  })
  return tooFine === undefined
    ? undefined
    : reject(
        "invalid_field",
        `${tooFine} must have at most ${marketDigits} digits on either side of the point in a market.`,
      ).error
}

function checkSide(market: Market, body: Body, account: string): Rejection | undefined {
  if (symbolOf(body["symbol_id"]).market === "spot") return undefined
  const side = body["position_side"] ?? "both"
  if (isHedged(market, account) === (side !== "both")) return undefined
  const expected = isHedged(market, account) ? "long or short" : "both or left out"
  return reject("invalid_field", `position_side must be ${expected} in the account's mode.`).error
}

function checkMeans(market: Market, body: Body, entry: Entry): Rejection | undefined {
  const order = recordOf(market, body, entry)
  if (order.is_waiting === true || closable(market, order) !== undefined) return undefined
  const symbol = symbolOf(order.symbol_id)
  const quote = quoteOf(market, symbol)
  const worst = largest(limitOf(body, order, quote), quote.price)
  return symbol.market === "perp"
    ? checkMargin(market, order, worst)
    : checkBalance(market, order, worst)
}

/** What no position or order binds yet. */
function freeMargin(market: Market, account: string): bigint {
  const view = currentView(market, account)
  const nowMs = market.startMs + market.second * 1_000
  return worthOf(market, view, nowMs).marginBalance - initialMargin(market, account, view)
}

function checkMargin(market: Market, order: OpenOrder, worst: bigint): Rejection | undefined {
  const opening = largest(0n, restOf(order) - reducible(market, order))
  const symbol = symbolOf(order.symbol_id)
  const value = product(opening, worst)
  const needed = marginFor(market, order.account_address, { symbol, value })
  return opening === 0n || needed <= freeMargin(market, order.account_address)
    ? undefined
    : reject("insufficient_margin", "The account hasn't the margin for this order.").error
}

function checkBalance(market: Market, order: OpenOrder, worst: bigint): Rejection | undefined {
  const { account_address: account } = order
  const balances = balancesOf(market.funds, account)
  const held = (asset: string) => balances.get(asset) ?? 0n
  const rest = restOf(order)
  const canPay =
    order.is_buy === true
      ? product(rest, worst) <= least(freeMargin(market, account), held(quoteAsset))
      : rest <= held(baseOf(symbolOf(order.symbol_id)))
  return canPay
    ? undefined
    : reject("insufficient_balance", "The account doesn't hold what this order needs.").error
}

function largest(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
