import { type GuardedChecker, type OpenerTerms, unitsOf } from "./guarded-checker.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** Something that a bot asks for. */
export type GuardedAsk = {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** Its orders that can enlarge a position. */
  readonly openers: readonly OpenerTerms[]
  /** The order that it changes. */
  readonly changes?: string
  /** Its orders that only reduce. */
  readonly reduces: readonly { readonly id: number; readonly isBuy: boolean }[]
}

/** What can enlarge a position, and what can't. */
export type GuardedAsks = { readonly opening: () => GuardedAsk; readonly other: () => GuardedAsk }

type Traded = { readonly id: number; readonly sizes: readonly string[] }

const traded: readonly Traded[] = [
  { id: 1, sizes: ["0.02", "0.04", "0.08", "0.15", "0.25", "0.4"] },
  { id: 2, sizes: ["0.4", "0.8", "1.5", "3", "5", "8"] },
]

/** Orders that mostly go one way. */
const turnsAfter = 80

const ordersPath = "/v1/trade/orders"

/** What bots know, who ask: open orders, positions and prices, as they were a moment ago. */
export type Seen = Pick<GuardedChecker, "openOrderIds" | "position"> & {
  readonly prices: () => ReadonlyMap<number, number>
}

/** Makes random asks: openers of both sides, batches, changes, cancels, and what only reduces. */
export function createGuardedAsks(random: SeededRandom, seen: Seen): GuardedAsks {
  /** Up to 0.3 % on either side of the price: some trade at once, some soon, some not at all. */
  const priceOf = (id: number): string => {
    const away = 1 + (random.below(601) - 300) / 100_000
    return ((seen.prices().get(id) ?? 1) * away).toFixed(1)
  }

  let orders = 0
  /** Most go one way for a while, and then the other. */
  const isBuy = (): boolean =>
    random.isOneIn(4) === (Math.floor((orders += 1) / turnsAfter) % 2 === 0)

  const order = (): OpenerBody => {
    const { id, sizes } = random.pick(traded)
    const made = { symbol_id: id, is_buy: isBuy(), quantity: random.pick(sizes) }
    if (random.isOneIn(4)) return { ...made, order_type: "market", slippage: "0.01" }
    const limited = { ...made, order_type: "limit", price: priceOf(id) }
    return random.isOneIn(6) ? { ...limited, time_in_force: "ioc" } : limited
  }

  const single = (): GuardedAsk => {
    const body = order()
    return { path: ordersPath, body, openers: [termsOf(body)], reduces: [] }
  }

  /** Some of it on the side on which there is nothing. */
  const reduce = (): GuardedAsk => {
    const { id, sizes } = random.pick(traded)
    const isBuy = seen.position(id) < 0 !== random.isOneIn(3)
    const made = { symbol_id: id, is_buy: isBuy, quantity: random.pick(sizes) }
    const type = random.isOneIn(2)
      ? { order_type: "market" }
      : { order_type: "limit", price: priceOf(id) }
    const body = { ...made, ...type, flags: ["reduce_only"] }
    return { path: ordersPath, body, openers: [], reduces: [{ id, isBuy }] }
  }

  const batch = (): GuardedAsk => {
    const more = Array.from({ length: 1 + random.below(2) }, () =>
      random.isOneIn(4) ? reduce() : single(),
    )
    const asks = [single(), ...more]
    return {
      path: `${ordersPath}/batch`,
      body: { orders: asks.map(({ body }) => body) },
      openers: asks.flatMap(({ openers }) => openers),
      reduces: asks.flatMap(({ reduces }) => reduces),
    }
  }

  const openId = (): string => {
    const ids = seen.openOrderIds()
    return ids.length === 0 ? "1" : random.pick(ids)
  }

  const change = (): GuardedAsk => {
    const [made, changes] = [order(), openId()]
    const body = { ...made, order_id: changes }
    return { path: `${ordersPath}/modify`, body, openers: [termsOf(made)], changes, reduces: [] }
  }

  const cancel = (): GuardedAsk =>
    random.isOneIn(40)
      ? { path: `${ordersPath}/cancel-all`, body: {}, openers: [], reduces: [] }
      : { path: `${ordersPath}/cancel`, body: { order_id: openId() }, openers: [], reduces: [] }

  return {
    opening: () => random.pick([single, single, single, single, batch, change])(),
    other: () => random.pick([reduce, cancel, cancel])(),
  }
}

type OpenerBody = Readonly<Record<string, unknown>> & {
  readonly symbol_id: number
  readonly is_buy: boolean
  readonly quantity: string
  readonly price?: string
}

function termsOf({ symbol_id: id, is_buy: isBuy, quantity, price = "0" }: OpenerBody): OpenerTerms {
  return { id, isBuy, quantity: unitsOf(quantity), price: Number(price) }
}
