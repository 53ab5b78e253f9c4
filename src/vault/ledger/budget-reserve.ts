import { reserveEveryMs } from "./budget.ts"

/** For how long a client that was refused counts as waiting: some ask again only after seconds. */
const waitsForMs = 10_000

/**
 * What one request in `reserveEveryMs` may take, of whatever client. Of the clients that wait, who had it longest ago
 * has its turn first. A turn lasts `reserveEveryMs`: who asks most gets no more of them, and who doesn't come holds
 * the next one up for no longer.
 */
export type Reserve = {
  /** When a client may take it, if nobody else does before. */
  freeAtMs(client: string, nowMs: number): number
  /** The client has it, and waits no more. */
  take(client: string, nowMs: number): void
  /** The client waits from now on. */
  refuse(client: string, nowMs: number): void
}

/** Nobody had it, and nobody waits. */
export function openReserve(): Reserve {
  let takenMs = -Infinity
  const takenMsBy = new Map<string, number>()
  const refusedMsBy = new Map<string, number>()
  const lastMs = (client: string): number => takenMsBy.get(client) ?? -Infinity
  return {
    freeAtMs(client, nowMs) {
      const before = [...refusedMsBy].filter(
        ([other, refusedMs]) => nowMs < refusedMs + waitsForMs && lastMs(other) < lastMs(client),
      )
      return takenMs + (1 + before.length) * reserveEveryMs
    },
    take(client, nowMs) {
      takenMs = nowMs
      takenMsBy.set(client, nowMs)
      refusedMsBy.delete(client)
    },
    refuse: (client, nowMs) => void refusedMsBy.set(client, nowMs),
  }
}
