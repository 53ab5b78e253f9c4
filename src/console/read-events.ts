import type { ConsoleState, DecisionFeed } from "../link/console-views.ts"
import { createParser, type EventSourceMessage } from "./lib/eventsource-parser.js"
import type { Latency } from "./model.ts"
import { sessionHeaders } from "./session.ts"

/** What is done with each thing that the gate tells. */
export type Listener = {
  state(now: { readonly vault: ConsoleState; readonly latency: Latency }): void
  decisions(feed: DecisionFeed): void
  /** The gate can't reach the vault, and goes on trying. */
  away(why: string): void
  /** The stream can't be had for now, and is asked for again soon. */
  lost(why: string): void
  /** The session is over. Nothing comes after it. */
  ended(why: string): void
}

const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/** The gate says something at least every 15 s; a stream that is silent for this long is dead. */
const longestSilenceMs = 40_000

/** Reads the stream of events until the session ends, asking for it again with growing pauses. */
export async function readEvents(listener: Listener): Promise<void> {
  let failures = 0
  const heard: Listener = {
    ...listener,
    state: (now) => {
      failures = 0
      listener.state(now)
    },
  }
  for (;;) {
    const { isOver, why } = await readStream(heard).catch(() => broken)
    if (isOver) {
      listener.ended(why)
      return
    }
    const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0
    failures += 1
    listener.lost(why)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Why a stream ended, and whether its session did. */
type End = { readonly isOver: boolean; readonly why: string }

const broken: End = { isOver: false, why: "The page can't reach the daemon." }

/** Tells what a stream says until it ends. */
async function readStream(listener: Listener): Promise<End> {
  const stream = new AbortController()
  const leave = (): void => stream.abort()
  let silence = setTimeout(leave, longestSilenceMs)
  try {
    const { signal } = stream
    const response = await fetch("/console/events", { headers: sessionHeaders(), signal })
    if (!response.ok) return await refusalIn(response)
    if (response.body === null) return broken
    for await (const events of eventsIn(response.body)) {
      clearTimeout(silence)
      silence = setTimeout(leave, longestSilenceMs)
      for (const event of events) {
        const why = tell(listener, event)
        if (why !== undefined) return { isOver: true, why }
      }
    }
    return broken
  } finally {
    clearTimeout(silence)
    leave()
  }
}

/** After these two another try would be answered the same. */
async function refusalIn(response: Response): Promise<End> {
  const { msg } = (await response.json()) as { readonly msg: string }
  return { isOver: response.status === 401 || response.status === 403, why: msg }
}

/** The events of each piece as it comes; none where one has only begun, or where a comment says that all is well. */
async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<readonly EventSourceMessage[]> {
  const events: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (event) => events.push(event) })
  // Not every browser can iterate over a stream.
  const texts = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let read = await texts.read(); !read.done; read = await texts.read()) {
    parser.feed(read.value)
    yield events.splice(0)
  }
}

/** The gate writes what link/console-views.ts says, so it isn't checked again. Returns why the session is over, where it is. */
function tell(listener: Listener, { event, data }: EventSourceMessage): string | undefined {
  const said: unknown = JSON.parse(data)
  if (event === "state") listener.state(said as Parameters<Listener["state"]>[0])
  if (event === "decisions") listener.decisions(said as DecisionFeed)
  if (event === "away") listener.away((said as Why).why)
  return event === "ended" ? (said as Why).why : undefined
}

type Why = { readonly why: string }
