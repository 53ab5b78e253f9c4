// A process that trades: reads a VictimAsk on stdin, places and cancels at a steady pace, and prints a Spell.

import { Agent, request } from "node:http"
import { json } from "node:stream/consumers"
import { setTimeout as after } from "node:timers/promises"

import { limitOrder } from "../bot.ts"

export type VictimAsk = {
  readonly port: number
  readonly token: string
  readonly seconds: number
  /** Orders, each followed by its cancel. */
  readonly perSecond: number
}

/** What it saw, in milliseconds: how long calls took, and what of cancels wasn't answered 200. */
export type Spell = {
  readonly placeMs: readonly number[]
  readonly cancelMs: readonly number[]
  readonly failed: readonly string[]
  /** How long the gate's loop stood at most, by calls that nothing but the loop answers. */
  readonly stallMs: number
}

const agent = new Agent({ keepAlive: true })

const ask = (await json(process.stdin)) as VictimAsk // of run-flood.ts
process.stdout.write(JSON.stringify(await trade(ask)))
process.exit(0)

async function trade({ seconds, perSecond }: VictimAsk): Promise<Spell> {
  const placeMs: number[] = []
  const cancelMs: number[] = []
  const failed: string[] = []
  const one = async (count: number): Promise<void> => {
    const placed = await timed(
      "/sign/v1/trade/orders",
      limitOrder({ price: String(60_000 + count) }),
    )
    placeMs.push(placed.tookMs)
    const cancel = { order_id: String(count) }
    const cancelled = await timed("/sign/v1/trade/orders/cancel", cancel)
    cancelMs.push(cancelled.tookMs)
    if (cancelled.status !== "200") failed.push(cancelled.status)
  }
  let isOver = false
  const watched = watchLoop(() => isOver)
  const trades: Promise<void>[] = []
  for (let count = 0; count < seconds * perSecond; count += 1) {
    trades.push(one(count))
    await after(1_000 / perSecond)
  }
  await Promise.all(trades)
  isOver = true
  return { placeMs, cancelMs, failed, stallMs: await watched }
}

async function watchLoop(isOver: () => boolean): Promise<number> {
  let most = 0
  while (!isOver()) {
    most = Math.max(most, (await timed("/healthz")).tookMs)
    await after(20)
  }
  return most
}

/** A call that is refused or broken by the connection has what broke it as its status. */
function timed(path: string, body?: object): Promise<{ status: string; tookMs: number }> {
  const startedMs = performance.now()
  return new Promise((resolve) => {
    const done = (status: string): void =>
      resolve({ status, tookMs: performance.now() - startedMs })
    const headers = { authorization: `Bearer ${ask.token}`, "content-type": "application/json" }
    const sent = request(
      { port: ask.port, host: "127.0.0.1", path, agent, headers, method: body ? "POST" : "GET" },
      (response) => {
        response.resume()
        response.on("end", () => done(String(response.statusCode)))
      },
    )
    sent.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    sent.end(body && JSON.stringify(body))
  })
}
