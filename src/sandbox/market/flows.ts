// What goes in and out of accounts beside trading, where there is a market. Without one all of it does nothing.

import { reject, type Rejection } from "../state/error-codes.ts"
import { decimalText, readUnits } from "../state/market.ts"
import { initialMargin, worthOf } from "./margin.ts"
import { marketAccount, quoteAsset, recordEvent } from "./market.ts"
import { ownOrders } from "./order-facts.ts"
import { currentView, keepAccount } from "./versions.ts"
import type { Market } from "../state/market-state.ts"

type Sum = { readonly asset: string; readonly amount: string }

/** Refuses to take away from the first account what its positions and orders bind. All of them are looked at before they change. */
export function checkFlow(
  market: Market | undefined,
  accounts: readonly string[],
  { asset, amount }: Sum,
): Rejection | undefined {
  if (market === undefined) return undefined
  for (const account of accounts) marketAccount(market, account)
  const [source] = accounts
  if (asset !== quoteAsset || source === undefined) return undefined
  const view = currentView(market, source)
  const { marginBalance } = worthOf(market, view, market.startMs + market.second * 1_000)
  return readUnits(amount) <= marginBalance - initialMargin(market, source, view)
    ? undefined
    : reject("insufficient_balance", "The account's positions and orders bind that much of it.")
        .error
}

/** Records what came into an account or left it. */
export function noteFlow(
  market: Market | undefined,
  account: string,
  { asset, amount, isIn, nowMs }: Sum & { readonly isIn: boolean; readonly nowMs: number },
): void {
  if (market === undefined) return
  keepAccount(market, account, nowMs)
  const units = isIn ? readUnits(amount) : -readUnits(amount)
  const event = { kind: "flow", at_ms: nowMs, account_address: account } as const
  recordEvent(market, { ...event, asset, amount: decimalText(units) })
}

/** Refuses what can't change while there are positions or orders. */
export function checkFlat(market: Market | undefined, account: string): Rejection | undefined {
  if (market === undefined) return undefined
  return marketAccount(market, account).positions.size === 0 &&
    ownOrders(market, account).length === 0
    ? undefined
    : reject("order_changed", "The mode can't change while there are positions or orders.").error
}
