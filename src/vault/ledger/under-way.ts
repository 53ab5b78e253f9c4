import { setImmediate as turnEnded } from "node:timers/promises"

/** Work that has begun and may not have ended. */
export type UnderWay = {
  /** Follows a piece of work to its end. */
  follow<Output>(work: Promise<Output>): Promise<Output>
  /** Resolves when all that has begun by now has ended, and who waited for it has gone on. */
  ended(): Promise<void>
}

/** Starts with nothing under way. */
export function openUnderWay(): UnderWay {
  const works = new Set<Promise<unknown>>()
  return {
    follow(work) {
      works.add(work)
      const forget = (): boolean => works.delete(work)
      work.then(forget, forget)
      return work
    },
    async ended() {
      await Promise.allSettled([...works])
      await turnEnded()
    },
  }
}
