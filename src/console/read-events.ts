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
  /** The stream is gone and will be asked for again then. */
  lost(retryAtMs: number): void
  /** The session is over. Nothing comes after it. */
  ended(why: string): void
}

const pausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/** The gate says something at least every 15 s; a stream that is silent for this long is dead. */
const longestSilenceMs = 40_000

/** Reads the stream of events until the session ends, asking for it again with growing pauses. */
export async function readEvents(listener: Listener): Promise<void> {
  let failures = 0
  let isOver = false
  const heard: Listener = {
    ...listener,
    state: (now) => {
      failures = 0
      listener.state(now)
    },
    ended: (why) => {
      isOver = true
      listener.ended(why)
    },
  }
  for (;;) {
    await readStream(heard).catch(() => undefined) // a broken stream is one that has ended
    // It is set by what was heard meanwhile.
    if (isOver as boolean) return
    const pauseMs = pausesMs[Math.min(failures, pausesMs.length - 1)] ?? 0
    failures += 1
    listener.lost(Date.now() + pauseMs)
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

async function readStream(listener: Listener): Promise<void> {
  const silence = new AbortController()
  const giveUp = (): void => silence.abort()
  let timer = setTimeout(giveUp, longestSilenceMs)
  try {
    const { signal } = silence
    const response = await fetch("/console/events", { headers: sessionHeaders(), signal })
    if (response.status === 401) {
      const { msg } = (await response.json()) as { readonly msg: string }
      listener.ended(msg)
      return
    }
    if (!response.ok || response.body === null) return
    const parser = createParser({ onEvent: (event) => tell(listener, event) })
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      clearTimeout(timer)
      timer = setTimeout(giveUp, longestSilenceMs)
      parser.feed(text)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** The gate writes what link/console-views.ts says, so it isn't checked again. */
function tell(listener: Listener, { event, data }: EventSourceMessage): void {
  const said: unknown = JSON.parse(data)
  if (event === "state") listener.state(said as Parameters<Listener["state"]>[0])
  if (event === "decisions") listener.decisions(said as DecisionFeed)
  if (event === "away") listener.away((said as { readonly why: string }).why)
  if (event === "ended") listener.ended((said as { readonly why: string }).why)
}
