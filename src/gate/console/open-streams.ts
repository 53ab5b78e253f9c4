import type { ConsoleSession } from "../../link/console-methods.ts"

/** The streams of consoles that are open: one a session. */
export type OpenStreams = {
  /**
   * Takes a session's place, and tells the stream that had it to end. Calling what it returns leaves the
   * place; `undefined` where there is none.
   */
  take(session: ConsoleSession, end: (why: string) => void): (() => void) | undefined
}

/** Starts with no stream open. */
export function openStreams(maxStreams: number): OpenStreams {
  const ends = new Map<string, (why: string) => void>()
  return {
    take({ cookie }, end) {
      const older = ends.get(cookie)
      if (older === undefined && ends.size >= maxStreams) return undefined
      ends.set(cookie, end)
      older?.("The console was opened anew in this session; close this page.")
      return () => {
        if (ends.get(cookie) === end) ends.delete(cookie)
      }
    },
  }
}
