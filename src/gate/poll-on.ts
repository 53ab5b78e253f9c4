import { setTimeout as after } from "node:timers/promises"

import { type ChangeLines, tellChanges } from "./process/tell-changes.ts"

/** What a turn does, and how long it is, from its beginning on, until the next. */
export type PollTurn = {
  readonly pauseMs: number
  readonly read: (tell: ReturnType<typeof tellChanges>, stopping: AbortSignal) => Promise<void>
}

/** Takes turns as long as the gate runs, one after the other. */
export function pollOn(
  lines: ChangeLines,
  next: () => Promise<PollTurn>,
): {
  /** Reads no more. What is under way is cut off. */
  stop(): void
} {
  const stopping = new AbortController()
  const { signal } = stopping
  const tell = tellChanges(lines, signal)
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      const turn = await next()
      const paused = pause(turn.pauseMs, signal)
      await turn.read(tell, signal)
      await paused
    }
  }
  void poll()
  return { stop: () => stopping.abort() }
}

/** Until then, or until `signal` ends it. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await after(ms, undefined, { ref: false, signal }).catch(() => undefined)
}
