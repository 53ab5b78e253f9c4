import type { Clock } from "../process/clock.ts"

/** When clients were heard last, in monotonic time: a clock that is set makes nobody miss a beat. */
export type Heartbeats = {
  hear(client: string): void
  /** How long a client has been silent; since the start for one that wasn't heard since. */
  silentMs(client: string): number
}

/** Begins now, as if every client had just been heard. */
export function openHeartbeats({ monotonicMs }: Pick<Clock, "monotonicMs">): Heartbeats {
  const openedMs = monotonicMs()
  const heardMs = new Map<string, number>()
  return {
    hear: (client) => void heardMs.set(client, monotonicMs()),
    silentMs: (client) => monotonicMs() - (heardMs.get(client) ?? openedMs),
  }
}
