import { setTimeout as sleep } from "node:timers/promises"

import { connectBotLink } from "../../src/link/client.ts"
import type { Fleet } from "./crash-fleet.ts"
import type { Signings } from "./signings.ts"

/** Whom a request is of, and by which key. */
export type Asked = { readonly client: string; readonly key: string }

/** A client that bots ask as. */
export type Bot = { readonly name: string; token: string; readonly keys: readonly string[] }

/** Bots at every host that ask for orders as fast as they are answered. */
export type Bots = {
  readonly clients: readonly Bot[]
  /** Of each signature that comes while `hears` is there: whom it was for, and where it came from. */
  hears: ((asked: Asked, host: string) => void) | undefined
  readonly counts: { signed: number }
  end(): Promise<void>
}

/** How many ask at each host. */
const callers = 4
/** How long an answer is waited for: a host that stands still gives its own late. */
const deadlineMs = 15_000
const pauseMs = 20

type Parts = {
  readonly fleet: Fleet
  readonly clients: readonly Bot[]
  /** None of these is asked for so often that its cap is reached before the next. */
  readonly symbolIds: readonly number[]
  readonly signings: Signings
}

/** Starts them. */
export function startBots({ fleet: { hosts }, clients, symbolIds, signings }: Parts): Bots {
  const bots: Pick<Bots, "clients" | "hears" | "counts"> = {
    clients,
    hears: undefined,
    counts: { signed: 0 },
  }
  let isOver = (): boolean => false
  let count = 0

  async function signed(link: ReturnType<typeof connectBotLink>, bot: Bot, key: string) {
    const body = Buffer.from(JSON.stringify(order(symbolIds, count))).toString("base64")
    const { token } = bot
    const answer = await link.call("sign", { token, path, body, key, purpose: "return" })
    return answer.kind === "answer"
  }

  /** Resolves with whether the link is still good. */
  async function ask(link: ReturnType<typeof connectBotLink>, host: string): Promise<boolean> {
    count += 1
    const bot = clients[count % clients.length]
    const key = bot?.keys[Math.floor(count / clients.length) % bot.keys.length]
    if (bot === undefined || key === undefined) return true
    try {
      if (!(await signed(link, bot, key))) {
        await sleep(pauseMs)
        return true
      }
    } catch {
      return false // its vault has ended
    }
    bots.hears?.({ client: bot.name, key }, host)
    bots.counts.signed += 1
    signings.note(host)
    return true
  }

  const running = hosts.flatMap(({ name, door }) =>
    Array.from({ length: callers }, async () => {
      while (!isOver()) {
        const link = connectBotLink(door.botSocket, { deadlineMs })
        while (!isOver() && (await ask(link, name)));
        link.close()
        await sleep(pauseMs)
      }
    }),
  )
  return Object.assign(bots, {
    async end() {
      isOver = () => true
      await Promise.all(running)
    },
  })
}

const path = "/v1/trade/orders"
/** Well within a symbol's caps, at the smallest quantity. */
const ordersOfSymbol = 100

function order(symbolIds: readonly number[], count: number): Readonly<Record<string, unknown>> {
  const symbol = symbolIds[Math.floor(count / ordersOfSymbol) % symbolIds.length]
  return { symbol_id: symbol, is_buy: true, order_type: "limit", price: "10", quantity: "1" }
}
