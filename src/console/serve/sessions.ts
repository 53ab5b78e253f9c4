import { digestOf, isSame, makeSecret, type SecretDigest } from "./secret.ts"

/** A further one ends the one that was heard least recently. */
const maxSessions = 4
/** How long a session may be silent. */
export const maxIdleMs = 15 * 60_000

/**
 * Both halves are needed. The cookie stays out of reach of scripts, but a browser sends it to every port of
 * the host; the proof stays with the page that logged in, which belongs to one port.
 */
export type Halves = { readonly cookie: string; readonly proof: string }

export type Session = {
  readonly digest: SecretDigest
  heardMs: number
  /** Its page is answered no look before. */
  nextLookMs: number
}

/** Who is logged in. Nothing of it is on any disk: it ends with this process. */
export type Sessions = {
  open(): Halves
  /** The session of these halves; `undefined` where it isn't one, or no more. */
  hear(halves: Halves): Session | undefined
  end(session: Session): void
}

/**
 * Nobody is logged in at first. `nowMs` tells ages, so it must be no clock that can be set: else a session
 * would last until the clock is right again.
 */
export function openSessions(nowMs: () => number): Sessions {
  const sessions = new Set<Session>()
  const current = (): readonly Session[] => {
    for (const session of sessions) {
      if (nowMs() - session.heardMs >= maxIdleMs) sessions.delete(session)
    }
    return [...sessions]
  }
  return {
    open() {
      const [quietest] = current().toSorted((a, b) => a.heardMs - b.heardMs)
      if (quietest !== undefined && sessions.size >= maxSessions) sessions.delete(quietest)
      const halves = { cookie: makeSecret(), proof: makeSecret() }
      sessions.add({ digest: digestOfBoth(halves), heardMs: nowMs(), nextLookMs: nowMs() })
      return halves
    },
    hear(halves) {
      const digest = digestOfBoth(halves)
      const session = current().find((each) => isSame(each.digest, digest))
      if (session !== undefined) session.heardMs = nowMs()
      return session
    },
    end: (session) => void sessions.delete(session),
  }
}

/** One digest of both halves: no answer, and no time that it takes, can tell which of them was wrong. */
function digestOfBoth({ cookie, proof }: Halves): SecretDigest {
  return digestOf(`${cookie}.${proof}`)
}
