import { log } from "../log.ts"
import type { AccessEvent } from "./access.ts"
import type { SessionEnd } from "./sessions.ts"

/** Writes a line for each link that is made and each session that begins or ends; an event has no secret. */
export function logAccess(event: AccessEvent): void {
  switch (event.kind) {
    case "link_made":
      log({ level: "info", event: "console_link_made" })
      break
    case "session_opened":
      log({ level: "info", event: "console_session_opened" })
      break
    case "session_ended":
      log({ level: "info", event: "console_session_ended", message: ends[event.why] })
      break
  }
}

const ends = {
  left: "Its page ended it.",
  silent: "Nothing was heard of it for 15 minutes.",
  old: "It had lasted for 12 hours.",
  displaced: "Another one was opened, and there are at most four.",
} as const satisfies Record<SessionEnd, string>
