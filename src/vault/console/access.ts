import type { ConsoleSession } from "../../link/console-methods.ts"
import type { Refusal } from "../../link/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { countBadTokens, spendBadToken } from "../authenticate.ts"
import type { Clock } from "../clock.ts"
import { linkLifeMs, openConsoleLink } from "./link.ts"
import { maxAgeMs, openSessions, type SessionEnd } from "./sessions.ts"

/** What happens to the console's doors. */
export type AccessEvent =
  | { readonly kind: "link_made" }
  | { readonly kind: "session_opened" }
  | { readonly kind: "session_ended"; readonly why: SessionEnd }

/** A session that begins, and how long it lasts at the longest. */
export type OpenedSession = { readonly session: ConsoleSession; readonly leftMs: number }

/** Who may use the console: it alone makes its links and knows its sessions. */
export type ConsoleAccess = {
  link(): { readonly secret: string; readonly validForMs: number }
  /** Opens a session by a link's secret, and uses the link up. */
  open(secret: string): Result<OpenedSession, Refusal>
  /** How long a session lasts yet at the longest, in milliseconds. */
  check(session: ConsoleSession): Result<number, Refusal>
  end(session: ConsoleSession): Result<undefined, Refusal>
}

/** Nobody is let in until a link is made. */
export function openConsoleAccess(
  clock: Pick<Clock, "monotonicMs" | "uptimeMs">,
  tell: (event: AccessEvent) => void,
): ConsoleAccess {
  const nowMs = ageClock(clock)
  const link = openConsoleLink(nowMs)
  const sessions = openSessions(nowMs, (why) => tell({ kind: "session_ended", why }))
  // Apart from bots' wrong tokens: a bot that guesses mustn't change what a person reads, nor a page
  // that was left open what a bot does. As there, it bounds wrong secrets alone: a right one is always served.
  const wrong = countBadTokens(nowMs())
  const refuse = (message: string): Result<never, Refusal> =>
    err(refusal(message, spendBadToken(wrong, nowMs())))
  return {
    link() {
      const secret = link.make()
      tell({ kind: "link_made" })
      return { secret, validForMs: linkLifeMs }
    },
    open(secret) {
      if (!link.take(secret)) return refuse(wrongLink)
      const session = sessions.open()
      tell({ kind: "session_opened" })
      return ok({ session, leftMs: maxAgeMs })
    },
    check(session) {
      const leftMs = sessions.hear(session)
      return leftMs === undefined ? refuse(wrongSession) : ok(leftMs)
    },
    end(session) {
      return sessions.end(session) ? ok(undefined) : refuse(wrongSession)
    },
  }
}

/** One that nobody can set, and that runs on in a suspend where the machine has such. */
function ageClock({
  uptimeMs,
  monotonicMs,
}: Pick<Clock, "monotonicMs" | "uptimeMs">): () => number {
  return uptimeMs ?? monotonicMs
}

const wrongLink =
  "This link doesn't open the console: one works once, for 60 seconds; run countersign console for a new one."
const wrongSession =
  "This session of the console is over, or never was; run countersign console for a new link."

function refusal(message: string, retryAfterMs: number | undefined): Refusal {
  if (retryAfterMs === undefined) return { code: "unauthorized", message, data: null }
  return {
    code: "too_many_bad_tokens",
    message: `${message} Too many wrong ones came, so wait before another try.`,
    data: { retry_after_ms: retryAfterMs },
  }
}
