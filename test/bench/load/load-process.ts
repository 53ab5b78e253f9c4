// Reads a list of SteadyAsk on stdin, sends all at once, and prints the Load of all.
import { performance } from "node:perf_hooks"
import { json } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

import { quantilesOf } from "../report/quantiles.ts"
import { openConnection, type Connection } from "./connection.ts"
import type { Load } from "./load.ts"
import type { SteadyAsk } from "./node-load.ts"

const asks = (await json(process.stdin)) as readonly SteadyAsk[] // of node-load.ts
const startMs = performance.now()
const timesMs = (await Promise.all(asks.map(load))).flat()
const lastedSeconds = (performance.now() - startMs) / 1_000
const requests = timesMs.length
const found: Load = { requests, perSecond: requests / lastedSeconds, ...quantilesOf(timesMs) }
process.stdout.write(JSON.stringify(found))

async function load(ask: SteadyAsk): Promise<readonly number[]> {
  const { url, posts, connections, seconds, perSecond, isRandom = false } = ask
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(url)))
  const bytes = posts.map((post) => Buffer.from(post))
  let turn = 0
  const next = (): Buffer => bytes[turn++ % bytes.length] ?? Buffer.alloc(0)
  const run = { next, lengthMs: seconds * 1_000 }
  const timesMs =
    perSecond === undefined
      ? await eachAsAnswered(open, run)
      : await atRate(open, { ...run, pauseMs: pauses(perSecond, isRandom) })
  for (const connection of open) connection.close()
  return timesMs
}

/** How long after a request the next one is due. */
function pauses(perSecond: number, isRandom: boolean): () => number {
  const usualMs = 1_000 / perSecond
  return () => (isRandom ? -Math.log(1 - Math.random()) * usualMs : usualMs)
}

type Run = { readonly next: () => Buffer; readonly lengthMs: number }

async function eachAsAnswered(
  open: readonly Connection[],
  { next, lengthMs }: Run,
): Promise<readonly number[]> {
  const timesMs: number[] = []
  const endMs = performance.now() + lengthMs
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
  { next, lengthMs, pauseMs }: Run & { readonly pauseMs: () => number },
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
  const asked: Promise<void>[] = []
  const startMs = performance.now()
  for (let dueMs = 0; dueMs < lengthMs;) {
    const nowMs = performance.now()
    for (; dueMs <= nowMs - startMs && dueMs < lengthMs; dueMs += pauseMs()) asked.push(one(nowMs))
    await sleep(1)
  }
  await Promise.all(asked)
  return timesMs
}
