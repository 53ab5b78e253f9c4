import type { TestContext } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { isInTime } from "../../src/gate/sign/sign.ts"
import type { BotResults } from "../../src/link/calls/methods.ts"
import { connectBotLink } from "../../src/contract/client.ts"
import {
  makeFleetSite,
  startFleet,
  type Fleet,
  type FleetAsk,
  type FleetSite,
} from "./crash-fleet.ts"
import { ownKeys, sharedKey, type CrashSite } from "./crash-site.ts"
import { stateOf } from "./fleet-host.ts"
import { told } from "./fleet-report.ts"
import { keepSignings, type Signings } from "./signings.ts"

/** Whom a request is of, by which key, and at which host. */
export type Asked = { readonly client: string; readonly key: string; readonly host: string }

/** A client that bots ask as. */
export type Bot = { readonly name: string; token: string; readonly keys: readonly string[] }

/** Bots at every host that ask for orders again and again; they keep to the time as the gate does. */
export type Bots = {
  readonly clients: readonly Bot[]
  /** Is told of each signature that comes while it is there, with its record. */
  hears: ((asked: Asked, record: string) => void) | undefined
  /** `refused`: how often, by host and code. */
  readonly counts: { signed: number; readonly refused: Map<string, number> }
  end(): Promise<void>
}

/** How many ask at each host. */
const callers = 4
/** How long an answer is waited for: a host that stands still gives its own late. */
const deadlineMs = 15_000
const refusedPauseMs = 20

type Parts = {
  readonly fleet: Fleet
  readonly clients: readonly Bot[]
  /** None of these is asked for so often that its cap is reached before the next. */
  readonly symbolIds: readonly number[]
  readonly signings: Signings
  /** Between an answer and the next request of the same caller. */
  readonly pauseMs: number
}

/** A fleet that bots keep busy. */
export type BusyFleet = {
  readonly site: FleetSite
  readonly fleet: Fleet
  readonly bots: Bots
  readonly signings: Signings
}

/** Makes one and starts it, and ends all of it after `use`. Says how things stood where that fails. */
export async function withBusyFleet<Used>(
  t: TestContext,
  { pauseMs = 0, ...ask }: FleetAsk & Partial<Pick<Parts, "pauseMs">>,
  use: (busy: BusyFleet) => Promise<Used>,
): Promise<Used> {
  const site = await makeFleetSite(ask)
  const fleet = await startFleet(t, site, "http://127.0.0.1:9")
  const signings = keepSignings()
  const [one] = site.sites
  if (one === undefined) throw new Error("a fleet has a host")
  const { symbolIds } = one
  const bots = startBots({ fleet, clients: clientsOf(one), symbolIds, signings, pauseMs })
  try {
    return await use({ site, fleet, bots, signings })
  } catch (error) {
    t.diagnostic(`refused: ${told(bots.counts.refused)}`)
    for (const host of fleet.hosts) t.diagnostic(await stateOf(host))
    throw error
  } finally {
    await Promise.all(fleet.hosts.map((host) => host.end()))
    await bots.end()
    await site.remove()
  }
}

/** The clients that an installation has. */
function clientsOf({ tokens }: Pick<CrashSite, "tokens">): readonly Bot[] {
  return Object.entries(ownKeys).map(([name, own], index) => ({
    ...{ name, token: tokens[index] ?? "", keys: [sharedKey, ...own] },
  }))
}

/** Starts them. */
function startBots({ fleet: { hosts }, clients, symbolIds, signings, pauseMs }: Parts): Bots {
  const bots: Pick<Bots, "clients" | "hears" | "counts"> = {
    clients,
    hears: undefined,
    counts: { signed: 0, refused: new Map() },
  }
  let isOver = (): boolean => false
  let count = 0

  function countRefused(host: string, answer: BotResults["sign"]): void {
    const name = `${host} ${answer.kind === "refused" ? answer.refusal.code : "late"}`
    bots.counts.refused.set(name, (bots.counts.refused.get(name) ?? 0) + 1)
  }

  function askOnce(link: ReturnType<typeof connectBotLink>, bot: Bot, key: string) {
    const body = Buffer.from(JSON.stringify(order(symbolIds, count))).toString("base64")
    const { token } = bot
    return link.call("sign", { token, path, body, key, purpose: "return" })
  }

  /** Resolves with whether the link is still good. */
  async function ask(link: ReturnType<typeof connectBotLink>, host: string): Promise<boolean> {
    count += 1
    const bot = clients[count % clients.length]
    const key = bot?.keys[Math.floor(count / clients.length) % bot.keys.length]
    if (bot === undefined || key === undefined) return true
    try {
      const answer = await askOnce(link, bot, key)
      if (answer.kind !== "answer" || !isInTime(answer)) {
        countRefused(host, answer)
        await sleep(refusedPauseMs)
        return true
      }
      bots.hears?.({ client: bot.name, key, host }, answer.record)
    } catch {
      return false // its vault has ended
    }
    bots.counts.signed += 1
    signings.note(host)
    return true
  }

  const running = hosts.flatMap(({ name, door }) =>
    Array.from({ length: callers }, async () => {
      while (!isOver()) {
        const link = connectBotLink(door.botSocket, { deadlineMs })
        while (!isOver() && (await ask(link, name))) if (pauseMs > 0) await sleep(pauseMs)
        link.close()
        await sleep(refusedPauseMs)
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
