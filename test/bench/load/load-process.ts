// Reads a SteadyAsk on stdin, sends it, and prints the Load.
import { performance } from "node:perf_hooks"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

import { quantilesOf } from "../report/quantiles.ts"
import { openConnection, type Connection } from "./connection.ts"
import type { Load } from "./load.ts"
import type { SteadyAsk } from "./node-load.ts"

const ask = (await json(process.stdin)) as SteadyAsk // of node-load.ts
process.stdout.write(JSON.stringify(await load(ask)))

async function load({ url, posts, connections, seconds, perSecond }: SteadyAsk): Promise<Load> {
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(url)))
  const bytes = posts.map((post) => Buffer.from(post))
  let turn = 0
  const next = (): Buffer => bytes[turn++ % bytes.length] ?? Buffer.alloc(0)
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  const timesMs =
    perSecond === undefined
      ? await eachAsAnswered(open, { next, endMs })
      : await atRate(open, { next, endMs, perSecond })
  const lastedSeconds = (performance.now() - startMs) / 1_000
  for (const connection of open) connection.close()
  const requests = timesMs.length
  return { requests, perSecond: requests / lastedSeconds, ...quantilesOf(timesMs) }
}

type Run = { readonly next: () => Buffer; readonly endMs: number }

async function eachAsAnswered(
  open: readonly Connection[],
  { next, endMs }: Run,
): Promise<readonly number[]> {
  const timesMs: number[] = []
  await Promise.all(
    open.map(async (connection) => {
      while (performance.now() < endMs) {
        const sentMs = performance.now()
        await connection.ask(next())
        timesMs.push(performance.now() - sentMs)
      }
    }),
  )
  return timesMs
}

/**
 * What is due goes out at each tick of the timer, about a millisecond. Waiting for a free connection counts; a
 * late tick doesn't, since that is this process and not the server.
 */
async function atRate(
  open: readonly Connection[],
  { next, endMs, perSecond }: Run & { readonly perSecond: number },
): Promise<readonly number[]> {
  const timesMs: number[] = []
  const free = [...open]
  const waiting: ((connection: Connection) => void)[] = []
  // In turn: the gate closes a connection on which nothing was ever sent.
  const taken = (): Connection | Promise<Connection> =>
    free.shift() ?? new Promise((resolve) => waiting.push(resolve))
  const one = async (dueMs: number): Promise<void> => {
    const connection = await taken()
    await connection.ask(next())
    timesMs.push(performance.now() - dueMs)
    const first = waiting.shift()
    if (first === undefined) free.push(connection)
    else first(connection)
  }
  const startMs = performance.now()
  const asked: Promise<void>[] = []
  const dueAt = (nowMs: number): number => Math.ceil(((nowMs - startMs) / 1_000) * perSecond)
  while (asked.length < dueAt(endMs)) {
    const nowMs = performance.now()
    while (asked.length < dueAt(Math.min(nowMs, endMs))) asked.push(one(nowMs))
    await sleep(1)
  }
  await Promise.all(asked)
  return timesMs
}
