import { ownKeys, sharedKey, unitPrice, type CrashSite } from "./crash-site.ts"
import type { SeededRandom } from "./seeded-random.ts"

const ordersPath = "/v1/trade/orders"
const cancelPath = "/v1/trade/orders/cancel"

/** Keys that are asked again are among so many last ones. */
const rememberedKeys = 60

export type Ask = {
  readonly token: string
  readonly client: string
  readonly path: string
  readonly key: string
  readonly body: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string | undefined
}

/** What one caller did, so that it can be asked again. */
export type Asked = {
  readonly client: number
  /** Asks with a key, newest last. */
  readonly keyed: Ask[]
  /** Those that got no answer. */
  readonly again: Ask[]
}

export type Asks = {
  next(caller: Asked): { readonly ask: Ask; readonly isRepeat: boolean }
  cancel(client: number, idempotencyKey?: string): Ask
  /** The smallest order of a symbol. */
  smallest(symbolId: number): Ask
  /** A limit of this symbol is spent. */
  spent(symbolId: number): void
  /** Symbols that were asked for. */
  symbols(): readonly number[]
}

/** Makes requests: orders of the symbol whose cap isn't reached yet, cancels, repeats. */
export function createAsks(
  site: Pick<CrashSite, "tokens" | "symbolIds">,
  random: SeededRandom,
): Asks {
  let symbolAt = 0
  let count = 0

  function asker(client: number): Pick<Ask, "token" | "client" | "key"> {
    const [name, own] = Object.entries(ownKeys)[client] ?? ["", []]
    const key = random.isOneIn(2) ? sharedKey : random.pick(own)
    return { token: site.tokens[client] ?? "", client: name, key }
  }

  function fresh(client: number, idempotencyKey: string | undefined): Ask {
    if (random.isOneIn(8)) return cancel(client, idempotencyKey)
    const body = order(site.symbolIds[symbolAt] ?? 0, 1 + random.below(9))
    return { ...asker(client), path: ordersPath, body, idempotencyKey }
  }

  function cancel(client: number, idempotencyKey?: string): Ask {
    count += 1
    const body = { order_id: `${count}` }
    return { ...asker(client), path: cancelPath, body, idempotencyKey }
  }

  function repeat({ again, keyed }: Asked): Ask | undefined {
    const lost = again.pop()
    if (lost !== undefined) return lost
    if (keyed.length === 0 || !random.isOneIn(4)) return undefined
    const ask = random.pick(keyed)
    // Another request under the same key: a conflict, if the first one was ever recorded.
    return random.isOneIn(5) ? { ...ask, body: { ...ask.body, ...otherPart(ask) } } : ask
  }

  return {
    next(caller) {
      const again = repeat(caller)
      if (again !== undefined) return { ask: again, isRepeat: true }
      count += 1
      const isKeyed = random.isOneIn(2)
      const ask = fresh(caller.client, isKeyed ? `key-${count}` : undefined)
      if (isKeyed) caller.keyed.push(ask)
      if (caller.keyed.length > rememberedKeys) caller.keyed.shift()
      return { ask, isRepeat: false }
    },
    cancel,
    smallest(symbolId) {
      return { ...asker(0), path: ordersPath, body: order(symbolId, 1), idempotencyKey: undefined }
    },
    symbols: () => site.symbolIds.slice(0, symbolAt + 1),
    spent(symbolId) {
      // Only now and then, so that many ask for what is spent.
      if (symbolId !== site.symbolIds[symbolAt] || !random.isOneIn(8)) return
      symbolAt = Math.min(symbolAt + 1, site.symbolIds.length - 1)
    },
  }
}

function otherPart({ path }: Ask): Readonly<Record<string, unknown>> {
  return path === cancelPath ? { order_id: "other" } : { quantity: "10" }
}

function order(symbolId: number, quantity: number): Readonly<Record<string, unknown>> {
  return {
    symbol_id: symbolId,
    is_buy: true,
    order_type: "limit",
    price: `${unitPrice}`,
    quantity: `${quantity}`,
  }
}
