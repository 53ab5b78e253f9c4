import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** A further one ends the one that was heard least recently. */
const maxSessions = 4
/** How long a session may be silent. */
const maxIdleMs = 15 * 60_000

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
export type Sessions = ReturnType<typeof openSessions>

/**
 * Nobody is logged in at first. `nowMs` tells ages, so it must be no clock that can be set: else a session
 * would last until the clock is right again.
 */
export function openSessions(nowMs: () => number) {
  const sessions = new Set<Session>()
  const current = (): readonly Session[] => {
    for (const session of sessions) {
      if (nowMs() - session.heardMs >= maxIdleMs) sessions.delete(session)
    }
    return [...sessions]
  }
  return {
    open(): Halves {
      const [quietest] = current().toSorted((a, b) => a.heardMs - b.heardMs)
      if (quietest !== undefined && sessions.size >= maxSessions) sessions.delete(quietest)
      const halves = { cookie: makeSecret(), proof: makeSecret() }
      sessions.add({ digest: digestOfBoth(halves), heardMs: nowMs(), nextLookMs: nowMs() })
      return halves
    },
    /** The session of these halves; `undefined` where it isn't one, or no more. */
    hear(halves: Halves): Session | undefined {
      const digest = digestOfBoth(halves)
      const session = current().find((each) => isSame(each.digest, digest))
      if (session !== undefined) session.heardMs = nowMs()
      return session
    },
    end: (session: Session) => void sessions.delete(session),
  }
}

/** One digest of both halves: no answer, and no time that it takes, can tell which of them was wrong. */
function digestOfBoth({ cookie, proof }: Halves): SecretDigest {
  return digestOf(`${cookie}.${proof}`)
}

/** From its making on. */
export const linkLifeMs = 60_000

/** The one way into the console. Only a digest of its secret is kept. */
export type ConsoleLink = ReturnType<typeof openConsoleLink>

/** There is no link until one is made. `nowMs` tells ages. */
export function openConsoleLink(nowMs: () => number) {
  let link: { readonly digest: SecretDigest; readonly madeMs: number } | undefined
  return {
    /** Opens a link with this secret; one made earlier works no more. */
    make(secret: string): void {
      link = { digest: digestOf(secret), madeMs: nowMs() }
    },
    /** Uses the link up, if this is its secret. A wrong one uses nothing up: whoever guesses can't lock anyone out. */
    take(secret: string): boolean {
      if (link !== undefined && nowMs() - link.madeMs >= linkLifeMs) link = undefined
      const isRight = link !== undefined && isSame(link.digest, digestOf(secret))
      if (isRight) link = undefined
      return isRight
    },
  }
}

/** Carries the page's half of a session. */
const proofHeader = "countersign-console"

/** A browser sends cookies of 127.0.0.1 to every port of it, so another port's console needs another name. */
function cookieName(port: number): string {
  return `countersign_console_${port}`
}

/** `Set-Cookie` that hands the browser its half, or takes it back where that is empty. */
export function sessionCookie(cookie: string, port: number): Readonly<Record<string, string>> {
  const age = cookie === "" ? "; Max-Age=0" : ""
  return { "Set-Cookie": `${cookieName(port)}=${cookie}; Path=/; HttpOnly; SameSite=Strict${age}` }
}

/** Both halves, or `undefined` where there isn't exactly one of each. */
export function halvesOf(request: IncomingMessage, port: number): Halves | undefined {
  const cookie = onlySecret(cookieValues(request, `${cookieName(port)}=`))
  const proof = onlySecret(request.headersDistinct[proofHeader] ?? [])
  return cookie === undefined || proof === undefined ? undefined : { cookie, proof }
}

/** Every value under our name. Another port of this host can set one too, which is no reason to pick one. */
function cookieValues({ headersDistinct }: IncomingMessage, start: string): readonly string[] {
  return (headersDistinct["cookie"] ?? [])
    .flatMap((line) => line.split(";"))
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length))
}

function onlySecret(values: readonly string[]): string | undefined {
  const [value = ""] = values
  return values.length === 1 && secretPattern.test(value) ? value : undefined
}

/** What is kept of a secret: whoever reads the memory can't log in with it. */
type SecretDigest = Buffer

/** 256 random bits, base64url. */
export function makeSecret(): string {
  return randomBytes(32).toString("base64url")
}

/** What {@link makeSecret} makes. */
export const secretPattern = /^[A-Za-z0-9_-]{43}$/

/** SHA-256 of it. */
function digestOf(secret: string): SecretDigest {
  return hash("sha256", secret, "buffer")
}

/** Compares in a time that tells nothing of either. */
function isSame(a: SecretDigest, b: SecretDigest): boolean {
  return timingSafeEqual(a, b)
}
