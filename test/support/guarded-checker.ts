// What became of a guarded account, by the sandbox's truth alone: what the daemon was told, shown and answered isn't asked.

import { marketControlPaths } from "../../src/sandbox/market-control.ts"
import type { MarketEvent } from "../../src/sandbox/state/market-state.ts"

/** What an account may come to at any moment. Base units by symbol id, on either side. */
export type Bounds = {
  readonly positions: ReadonlyMap<number, number>
  readonly openOrders: number
  /** Quote units. */
  readonly openNotional: number
}

/** An order that can enlarge a position. */
export type OpenerTerms = {
  readonly id: number
  readonly isBuy: boolean
  readonly quantity: bigint
  /** Quote units; zero where it has none. */
  readonly price: number
}

type Opener = OpenerTerms & { filled: bigint }

export type GuardedChecker = {
  /** Plays all events since the last call. */
  catchUp(): Promise<void>
  /** A sentence for each moment at which a bound was passed. */
  readonly excesses: readonly string[]
  /** How far it came. */
  readonly most: {
    openOrders: number
    openNotional: number
    readonly positions: Map<number, number>
  }
  readonly counts: { accepted: number; fills: number; partial: number; cancelled: number }
  /**
   * Whether an omniscient guard would grant these: whatever fills of them and of what is open, and whatever is reduced
   * meanwhile, no bound is passed. `changes`: the open order in whose place they are.
   */
  wouldFit(asked: readonly OpenerTerms[], changes?: string): boolean
  openOrderIds(): readonly string[]
  /** Base units; below zero where it is short. */
  position(symbolId: number): number
  /** The event since which there is a position on the side that such an order reduces; `undefined` where there is none. */
  heldSince(symbolId: number, isBuy: boolean): number | undefined
}

export function createGuardedChecker(
  { url, account }: { readonly url: string; readonly account: string },
  bounds: Bounds,
): GuardedChecker {
  const open = new Map<string, Opener>()
  const ids = new Set<string>()
  const positions = new Map<number, bigint>()
  /** The event at which each position came to lie where it does. */
  const since = new Map<number, number>()
  const excesses: string[] = []
  const most = { openOrders: 0, openNotional: 0, positions: new Map<number, number>() }
  const counts = { accepted: 0, fills: 0, partial: 0, cancelled: 0 }
  let last = 0

  const note = (what: string, [came, max]: readonly [number, number], event: MarketEvent): void => {
    if (came <= max) return
    excesses.push(`event ${event.number}: ${what} came to ${came}, and ${max} is allowed`)
  }

  function accept(event: MarketEvent): void {
    const id = textOf(event, "order_id")
    ids.add(id)
    if (event["reduce_only"] === true) return void open.delete(id)
    counts.accepted += 1
    const filled = open.get(id)?.filled ?? 0n // a changed order keeps what was filled
    open.set(id, { ...termsOf(event), filled })
    most.openOrders = Math.max(most.openOrders, open.size)
    note("open orders", [open.size, bounds.openOrders], event)
    const notional = notionalOf(open.values())
    most.openNotional = Math.max(most.openNotional, notional)
    note("open notional", [notional, bounds.openNotional], event)
  }

  function fillOpener(opener: Opener, units: bigint): void {
    opener.filled += units
    if (opener.filled < opener.quantity) counts.partial += 1
  }

  function fill(event: MarketEvent): void {
    counts.fills += 1
    const symbol = Number(event["symbol_id"])
    const units = quantityOf(event)
    const opener = open.get(textOf(event, "order_id"))
    if (opener !== undefined) fillOpener(opener, units)
    const before = positions.get(symbol) ?? 0n
    const held = before + (event["is_buy"] === true ? units : -units)
    positions.set(symbol, held)
    if (sideOf(held) !== sideOf(before)) since.set(symbol, event.number)
    const size = Math.abs(baseOf(held))
    most.positions.set(symbol, Math.max(most.positions.get(symbol) ?? 0, size))
    note(`the position in ${symbol}`, [size, bounds.positions.get(symbol) ?? 0], event)
  }

  function end(event: MarketEvent): void {
    const id = textOf(event, "order_id")
    ids.delete(id)
    open.delete(id)
    if (event["state"] === "cancelled") counts.cancelled += 1
  }

  const plays: Readonly<Record<string, (event: MarketEvent) => void>> = {
    accepted: accept,
    filled: fill,
    ended: end,
    liquidated: ({ number }) => excesses.push(`event ${number}: a liquidation, so it proves less`),
  }

  function wouldFit(asked: readonly OpenerTerms[], changes?: string): boolean {
    const kept = [...open].filter(([id]) => id !== changes).map(([, opener]) => opener)
    const orders = [...kept, ...asked.map((terms) => ({ ...terms, filled: 0n }))]
    const sides = asked.every(({ id, isBuy }) => {
      const resting = orders.filter((order) => order.id === id && order.isBuy === isBuy)
      const held = (positions.get(id) ?? 0n) * (isBuy ? 1n : -1n)
      const worst = resting.reduce((sum, order) => sum + restOf(order), held > 0n ? held : 0n)
      return baseOf(worst) <= (bounds.positions.get(id) ?? 0)
    })
    return sides && orders.length <= bounds.openOrders && notionalOf(orders) <= bounds.openNotional
  }

  let catching = Promise.resolve()
  async function play(): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const events = await eventsAfter(url, last)
      for (const event of events.list) {
        if (event.account_address === account) plays[event.kind]?.(event)
      }
      last = events.last_event
      hasMore = events.has_more
    }
  }

  return {
    ...{ excesses, most, counts, wouldFit },
    /** One after the other, so that no event is played twice. */
    catchUp: () => (catching = catching.then(play)),
    openOrderIds: () => [...ids],
    position: (symbolId) => baseOf(positions.get(symbolId) ?? 0n),
    heldSince: (symbolId, isBuy) =>
      sideOf(positions.get(symbolId)) === (isBuy ? -1 : 1) ? since.get(symbolId) : undefined,
  }
}

function sideOf(held = 0n): number {
  return Math.sign(Number(held))
}

/** The market's prices as they really are, by symbol id. */
export async function truePrices(url: string): Promise<ReadonlyMap<number, number>> {
  const { data } = (await (await fetch(url + marketControlPaths.market)).json()) as {
    readonly data: { readonly prices: readonly { symbol_id: number; price: string }[] }
  }
  return new Map(data.prices.map(({ symbol_id: id, price }) => [id, Number(price)]))
}

type Events = {
  readonly list: readonly MarketEvent[]
  readonly last_event: number
  readonly has_more: boolean
}

async function eventsAfter(url: string, number: number): Promise<Events> {
  const response = await fetch(`${url}${marketControlPaths.events}?after=${number}`)
  return ((await response.json()) as { readonly data: Events }).data
}

/** A market's figures have twelve digits after the point. */
const digits = 12

function termsOf(event: MarketEvent): OpenerTerms {
  const { symbol_id: id, is_buy: isBuy, price } = event
  const quantity = quantityOf(event)
  return { id: Number(id), isBuy: isBuy === true, quantity, price: Number(price ?? 0) }
}

function quantityOf(event: MarketEvent): bigint {
  return unitsOf(textOf(event, "quantity"))
}

/** Base units as the market counts them. */
export function unitsOf(quantity: string): bigint {
  const [whole = "", fraction = ""] = quantity.split(".")
  return BigInt(whole + fraction.padEnd(digits, "0"))
}

function restOf({ quantity, filled }: Opener): bigint {
  return quantity - filled
}

function baseOf(units: bigint): number {
  return Number(units) / 10 ** digits
}

function notionalOf(openers: Iterable<Opener>): number {
  let sum = 0
  for (const opener of openers) sum += baseOf(restOf(opener)) * opener.price
  return sum
}

function textOf(event: MarketEvent, name: string): string {
  const value = event[name]
  if (typeof value !== "string")
    throw new Error(`an event has no ${name}: ${JSON.stringify(event)}`)
  return value
}
