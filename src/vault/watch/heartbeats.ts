import type { Others } from "../ledger/store/store.ts"
import type { Clock } from "../process/clock.ts"

/** When clients were heard last, in monotonic time: a clock that is set makes nobody miss a beat. */
export type Heartbeats = {
  hear(client: string): void
  /** How long a client has been silent, since the start for one that wasn't heard since; of several hosts, by when they told each other last. */
  silentMs(client: string): number
  /** Its silence is no older than this, in monotonic time: it counts since another host heard it. */
  begin(client: string, atMs: number): void
  /** Tells other hosts who was heard here since the last time, and hears whom they heard. */
  exchange(others: Pick<Others, "tellHeard">): Promise<void>
}

/** Begins now, as if every client had just been heard. */
export function openHeartbeats({ monotonicMs }: Pick<Clock, "monotonicMs">): Heartbeats {
  const openedMs = monotonicMs()
  const heardMs = new Map<string, number>()
  const untold = new Set<string>()
  let toldMs: number | undefined
  const hear = (client: string): void => void heardMs.set(client, monotonicMs())
  return {
    hear(client) {
      hear(client)
      untold.add(client)
    },
    silentMs: (client) => (toldMs ?? monotonicMs()) - (heardMs.get(client) ?? openedMs),
    begin(client, atMs) {
      heardMs.set(client, Math.max(atMs, heardMs.get(client) ?? openedMs))
    },
    async exchange(others) {
      const beganMs = monotonicMs()
      toldMs ??= beganMs
      const told = [...untold]
      untold.clear()
      // What others heard isn't told on: it would never end.
      for (const client of await others.tellHeard(told)) hear(client)
      toldMs = beganMs
    },
  }
}
