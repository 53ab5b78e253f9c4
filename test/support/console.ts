import { request, type IncomingMessage } from "node:http"
import type { TestContext } from "node:test"

import { createParser } from "eventsource-parser"

import type { Refusal } from "../../src/link/refusal.ts"

// The console of a gate before a fake vault: a session that it takes, and what the page does with it.

export const session = { cookie: "c".repeat(43), proof: "p".repeat(43) }

export const cookie = `countersign_console=${session.cookie}`

/** What a browser sends with a call of the page. */
export const pageHeaders = {
  "sec-fetch-site": "same-origin",
  "countersign-console": session.proof,
  cookie,
}

/** The same headers but one. */
export function without(
  headers: Readonly<Record<string, string>>,
  name: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name))
}

/** The vault's answer to a session that there isn't. */
export function noSession(message = "The session is over.") {
  const refusal: Refusal = { code: "unauthorized", message, data: null }
  return { kind: "refused" as const, refusal, record: null }
}

export type ConsoleEvent = {
  readonly event: string | undefined
  readonly content: Record<string, unknown>
}

export type EventStream = {
  readonly response: IncomingMessage
  /** The next event; `undefined` once the stream has ended. */
  next(): Promise<ConsoleEvent | undefined>
  /** The next one of a name; the others before it are passed over. */
  nextOf(event: string): Promise<ConsoleEvent | undefined>
}

/** Opens a stream of events, of which only as much is read as is asked for, until the test ends. */
export async function openEvents(
  t: TestContext,
  port: number,
  headers: Readonly<Record<string, string>> = pageHeaders,
): Promise<EventStream> {
  const response = await respond(t, port, headers)
  const events: ConsoleEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data }) =>
      events.push({ event, content: JSON.parse(data) as ConsoleEvent["content"] }),
  })
  const chunks = response.setEncoding("utf8")[Symbol.asyncIterator]()
  const next = async (): Promise<ConsoleEvent | undefined> => {
    for (;;) {
      const event = events.shift()
      if (event !== undefined) return event
      const chunk = (await chunks.next()) as IteratorResult<string, undefined>
      if (chunk.done === true) return undefined
      parser.feed(chunk.value)
    }
  }
  return {
    response,
    next,
    async nextOf(name) {
      for (;;) {
        const event = await next()
        if (event === undefined || event.event === name) return event
      }
    },
  }
}

function respond(
  t: TestContext,
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = { host: "127.0.0.1", port, path: "/console/events", headers, agent: false }
    const call = request(ask, (response) => {
      // A stream that is cut off ends where it is read.
      response.on("error", () => undefined)
      resolve(response)
    })
    call.on("error", reject)
    t.after(() => call.destroy())
    call.end()
  })
}
