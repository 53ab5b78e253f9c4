/** How long a refused client counts as waiting: some ask again only after seconds. */
const waitsForMs = 10_000

/** Of the clients that wait for what many share, the one that had it longest ago is next. */
export type Turns = {
  /** How many of those that wait come before a client. */
  before(client: string, nowMs: number): number
  /** The client has it now and waits no longer. */
  take(client: string, nowMs: number): void
  /** The client waits from now on. */
  refuse(client: string, nowMs: number): void
}

/** Starts with nobody waiting. */
export function openTurns(): Turns {
  const takenMsBy = new Map<string, number>()
  const refusedMsBy = new Map<string, number>()
  const lastMs = (client: string): number => takenMsBy.get(client) ?? -Infinity
  return {
    before(client, nowMs) {
      let count = 0
      for (const [other, refusedMs] of refusedMsBy) {
        if (nowMs < refusedMs + waitsForMs && lastMs(other) < lastMs(client)) count += 1
      }
      return count
    },
    take(client, nowMs) {
      takenMsBy.set(client, nowMs)
      refusedMsBy.delete(client)
    },
    refuse: (client, nowMs) => void refusedMsBy.set(client, nowMs),
  }
}
