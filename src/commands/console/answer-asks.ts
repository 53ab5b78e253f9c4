import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

import type * as z from "zod"

import { asks, maxLineBytes, type AskName, type Asks, type ReleaseAsk } from "../../console/asks.ts"
import * as wire from "../../link/wire.ts"

/** What each ask is answered; of an answer only what its schema names is passed on. */
type AllAnswers = {
  readonly [Name in AskName]: (
    params: z.output<Asks[Name]["params"]>,
  ) => Promise<z.input<Asks[Name]["answer"]>>
}

/** Without those of a release the server may not ask for one. */
export type Answers = Omit<AllAnswers, ReleaseAsk> & Partial<Pick<AllAnswers, ReleaseAsk>>

/** Between an answer and the next ask: four pages need a few a second, and a server that was broken into gets no more. */
const pauseMs = 40

/**
 * Answers the console's server, one ask after the other, until the pipe closes. It is closed on whatever isn't on
 * the list: no server of ours asks that.
 *
 * @throws where something else was asked.
 */
export async function answerAsks(pipe: Socket, answers: Answers): Promise<void> {
  const reader = wire.createFrameReader(maxLineBytes.ask)
  const writer = wire.createFrameWriter(pipe, maxLineBytes.answer)
  try {
    for await (const chunk of pipe as AsyncIterable<Buffer>) {
      for (const { value } of reader.push(chunk)) {
        await answer(parseAsk(value, answers), writer)
        await sleep(pauseMs)
        await drained(pipe)
      }
    }
  } finally {
    pipe.destroy()
  }
}

/** Waits until what was answered has left: who asks and doesn't read gets no more. */
async function drained(pipe: Socket): Promise<void> {
  if (!pipe.writableNeedDrain) return
  const leaving = new AbortController()
  const { signal } = leaving
  await Promise.race([once(pipe, "drain", { signal }), once(pipe, "close", { signal })])
  leaving.abort()
}

type Asked = {
  readonly id: number
  readonly name: AskName
  readonly params: unknown
  readonly give: (params: unknown) => Promise<unknown>
}

function parseAsk(value: unknown, answers: Answers): Asked {
  const ask = wire.parseRequest(value)
  if (ask === undefined || !isAskName(ask.method)) throw new Error("no such ask")
  const { id, params } = ask
  const name = ask.method
  // The type pairs each ask with the schema that made its parameters.
  const give = answers[name] as ((params: unknown) => Promise<unknown>) | undefined
  if (give === undefined) throw new Error("this console may not ask that")
  return { id, name, params: asks[name].params.parse(params), give }
}

function isAskName(method: string): method is AskName {
  return Object.hasOwn(asks, method)
}

async function answer({ id, name, params, give }: Asked, writer: wire.FrameWriter): Promise<void> {
  const head = { jsonrpc: "2.0", id } as const
  try {
    const given = await give(params)
    writer.write({ ...head, result: asks[name].answer.parse(given) })
  } catch (error) {
    writer.write({ ...head, error: wire.errorOf(error) })
  }
}
