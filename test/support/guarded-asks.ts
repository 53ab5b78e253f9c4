import type { GuardedChecker } from "./guarded-checker.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** Something that a bot asks for. */
export type GuardedAsk = {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** How many orders of it can enlarge a position. */
  readonly openers: number
  /** Its orders that only reduce. */
  readonly reduces: readonly { readonly id: number; readonly isBuy: boolean }[]
}

type Traded = { readonly id: number; readonly sizes: readonly string[] }

const traded: readonly Traded[] = [
  { id: 1, sizes: ["0.04", "0.08", "0.15", "0.25", "0.4"] },
  { id: 2, sizes: ["0.8", "1.5", "3", "5", "8"] },
]

/** Orders that mostly go one way. */
const turnsAfter = 600

const ordersPath = "/v1/trade/orders"

/** What bots know, who ask: open orders, positions and prices, as they were a moment ago. */
export type Seen = Pick<GuardedChecker, "openOrderIds" | "position"> & {
  readonly prices: () => ReadonlyMap<number, number>
}

/** Makes random asks: openers of both sides, batches, changes, cancels, and what only reduces. */
export function createGuardedAsks(random: SeededRandom, seen: Seen): () => GuardedAsk {
  /** Up to 0.3 % on either side of the price: some trade at once, some soon, some not at all. */
  const priceOf = (id: number): string => {
    const away = 1 + (random.below(601) - 300) / 100_000
    return ((seen.prices().get(id) ?? 1) * away).toFixed(1)
  }

  let orders = 0
  /** Most go one way for a while, and then the other. */
  const isBuy = (): boolean =>
    random.isOneIn(4) === (Math.floor((orders += 1) / turnsAfter) % 2 === 0)

  const order = (): Record<string, unknown> => {
    const { id, sizes } = random.pick(traded)
    const made = { symbol_id: id, is_buy: isBuy(), quantity: random.pick(sizes) }
    if (random.isOneIn(4)) return { ...made, order_type: "market", slippage: "0.01" }
    const limited = { ...made, order_type: "limit", price: priceOf(id) }
    return random.isOneIn(6) ? { ...limited, time_in_force: "ioc" } : limited
  }

  const single = (): GuardedAsk => ({ path: ordersPath, body: order(), openers: 1, reduces: [] })

  /** Some of it on the side on which there is nothing. */
  const reduce = (): GuardedAsk => {
    const { id, sizes } = random.pick(traded)
    const isBuy = seen.position(id) < 0 !== random.isOneIn(3)
    const made = { symbol_id: id, is_buy: isBuy, quantity: random.pick(sizes) }
    const type = random.isOneIn(2)
      ? { order_type: "market" }
      : { order_type: "limit", price: priceOf(id) }
    const body = { ...made, ...type, flags: ["reduce_only"] }
    return { path: ordersPath, body, openers: 0, reduces: [{ id, isBuy }] }
  }

  const batch = (): GuardedAsk => {
    const asks = Array.from({ length: 2 + random.below(2) }, () =>
      random.isOneIn(4) ? reduce() : single(),
    )
    return {
      path: `${ordersPath}/batch`,
      body: { orders: asks.map(({ body }) => body) },
      openers: asks.filter(({ openers }) => openers > 0).length,
      reduces: asks.flatMap(({ reduces }) => reduces),
    }
  }

  const openId = (): string => {
    const ids = seen.openOrderIds()
    return ids.length === 0 ? "1" : random.pick(ids)
  }

  const change = (): GuardedAsk => {
    const body = { ...order(), order_id: openId() }
    return { path: `${ordersPath}/modify`, body, openers: 1, reduces: [] }
  }

  const cancel = (): GuardedAsk =>
    random.isOneIn(40)
      ? { path: `${ordersPath}/cancel-all`, body: {}, openers: 0, reduces: [] }
      : { path: `${ordersPath}/cancel`, body: { order_id: openId() }, openers: 0, reduces: [] }

  const makers = [single, single, single, single, batch, change, reduce, cancel, cancel]
  return () => random.pick(makers)()
}
