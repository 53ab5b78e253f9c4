// How things were a while ago, for reads that lag.

import { balancesOf } from "../state/accounts.ts"
import type { OpenOrder } from "../state/records.ts"
import { marketAccount, settingsIn } from "./market.ts"
import type { AccountView, Market, Version } from "../state/market-state.ts"

/** Reads may lag by so much; what was before is forgotten. */
const keptMs = 600_000

/** What an account has now. */
export function currentView(market: Market, account: string): AccountView {
  const { positions } = marketAccount(market, account)
  const { margin } = settingsIn(market, account)
  return {
    balances: new Map(balancesOf(market.funds, account)),
    isolatedMargin: Array.from(margin.values()).reduce((sum, units) => sum + units, 0n),
    positions: Array.from(positions.values()),
  }
}

/** Keeps how an account is, from `atMs` on. */
export function keepAccount(market: Market, account: string, atMs: number): void {
  keep(marketAccount(market, account).versions, { atMs, value: currentView(market, account) })
}

/** What an account had at `atMs`, or the oldest that is kept of it; what it has now where no time is given. */
export function viewAt(market: Market, account: string, atMs: number | undefined): AccountView {
  if (atMs === undefined) return currentView(market, account)
  const { versions } = marketAccount(market, account)
  return (valueAt(versions, atMs) ?? versions[0])?.value ?? currentView(market, account)
}

/** Keeps how an order is from `atMs` on; `undefined` when it is open no more. */
export function keepOrder(
  { versions }: Market,
  orderId: string,
  version: Version<OpenOrder | undefined>,
): void {
  const own = versions.get(orderId) ?? []
  versions.set(orderId, own)
  keep(own, version)
  if (versions.size % 1_000 === 0) forget(versions, version.atMs)
}

/** The orders that were open at `atMs`, oldest first. */
export function openOrdersAt({ versions }: Market, atMs: number): Map<string, OpenOrder> {
  const open = Array.from(versions).flatMap(([orderId, own]) => {
    const order = valueAt(own, atMs)?.value
    return order === undefined ? [] : [[orderId, order] as const]
  })
  return new Map(open)
}

function forget(versions: Market["versions"], nowMs: number): void {
  for (const [orderId, own] of versions) {
    const last = own.at(-1)
    if (last?.value === undefined && (last?.atMs ?? 0) < nowMs - keptMs) versions.delete(orderId)
  }
}

function keep<Value>(versions: Version<Value>[], version: Version<Value>): void {
  if (versions.at(-1)?.atMs === version.atMs) versions.pop()
  versions.push(version)
  const [, second] = versions
  if (second !== undefined && second.atMs < version.atMs - keptMs) versions.shift()
}

function valueAt<Value>(
  versions: readonly Version<Value>[],
  atMs: number,
): Version<Value> | undefined {
  return versions.findLast((version) => version.atMs <= atMs)
}
