import type { ConsoleSession } from "../../link/console-methods.ts"
import { digestOf, isSame, makeSecret, type SecretDigest } from "./secret.ts"

/** A further one ends the one that was heard least recently. */
export const maxSessions = 4
/** How long a session may be silent. */
export const maxIdleMs = 15 * 60_000
/** How long it lasts however much is asked in it. */
export const maxAgeMs = 12 * 3_600_000

/** Why a session is over. */
export type SessionEnd = "left" | "silent" | "old" | "displaced"

/** Who is logged in. Nothing of it is on any disk: a restart ends all. */
export type Sessions = {
  open(): ConsoleSession
  /** How long this session lasts yet at the longest, in milliseconds; `undefined` where it isn't one, or no more. */
  hear(session: ConsoleSession): number | undefined
  /** Whether there was one to end. */
  end(session: ConsoleSession): boolean
}

type Session = { readonly digest: SecretDigest; readonly openedMs: number; heardMs: number }

/**
 * Nobody is logged in at first. `nowMs` tells ages, so it must be no clock that can be set: else a session
 * would last until the clock is right again. `ended` hears of each end, at the latest when the next call comes.
 */
export function openSessions(nowMs: () => number, ended: (why: SessionEnd) => void): Sessions {
  const sessions = new Set<Session>()
  const drop = (session: Session, why: SessionEnd): void => {
    sessions.delete(session)
    ended(why)
  }
  const current = (): readonly Session[] => {
    for (const session of sessions) {
      const why = whyOver(session, nowMs())
      if (why !== undefined) drop(session, why)
    }
    return [...sessions]
  }
  const find = (asked: ConsoleSession): Session | undefined => {
    const digest = digestOfBoth(asked)
    return current().find((session) => isSame(session.digest, digest))
  }
  return {
    open() {
      const [quietest] = current().toSorted((a, b) => a.heardMs - b.heardMs)
      if (quietest !== undefined && sessions.size >= maxSessions) drop(quietest, "displaced")
      const session = { cookie: makeSecret(), proof: makeSecret() }
      sessions.add(begin(session, nowMs()))
      return session
    },
    hear(asked) {
      const session = find(asked)
      if (session === undefined) return undefined
      session.heardMs = nowMs()
      return maxAgeMs - (session.heardMs - session.openedMs)
    },
    end(asked) {
      const session = find(asked)
      if (session !== undefined) drop(session, "left")
      return session !== undefined
    },
  }
}

function begin(session: ConsoleSession, nowMs: number): Session {
  return { digest: digestOfBoth(session), openedMs: nowMs, heardMs: nowMs }
}

/** One digest of both halves: no answer, and no time that it takes, can tell which of them was wrong. */
function digestOfBoth({ cookie, proof }: ConsoleSession): SecretDigest {
  return digestOf(`${cookie}.${proof}`)
}

function whyOver({ openedMs, heardMs }: Session, nowMs: number): SessionEnd | undefined {
  if (nowMs - openedMs >= maxAgeMs) return "old"
  return nowMs - heardMs >= maxIdleMs ? "silent" : undefined
}
