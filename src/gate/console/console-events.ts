import type { ConsoleSession } from "../../link/console-methods.ts"
import { onHangUp } from "../hang-up.ts"
import { refusedByVault, type Problem } from "../problem.ts"
import { fromDaemon } from "../reply.ts"
import type { Answer } from "../route.ts"
import type { StreamWay } from "../written.ts"
import { readSession, sessionMissing } from "./console-session.ts"
import { eventText } from "./event-text.ts"
import { openStreams } from "./open-streams.ts"
import { pollVault, type PollDependencies } from "./poll-vault.ts"

export type EventDependencies = PollDependencies & {
  /** What ends the streams when the gate stops. */
  readonly waits: Set<() => void>
}

/**
 * `/console/events`: what happens, as it happens. It ends when the page leaves, when the gate stops, when the
 * session is over or when it is opened anew; of the last two the page is told.
 */
export function consoleEvents(deps: EventDependencies): Answer {
  const streams = openStreams(deps.limits.maxConsoles)
  return async (request, response) => {
    const session = readSession(request)
    if (session === undefined) return { kind: "problem", problem: sessionMissing }
    const known = await deps.link.call("consoleState", { session })
    if (known.kind === "refused") {
      return { kind: "problem", problem: refusedByVault(known.refusal, known.record) }
    }
    const ending = new AbortController()
    const end = (why?: string): void => ending.abort(why)
    const leave = streams.take(session, end)
    if (leave === undefined) return { kind: "problem", problem: tooMany }
    const stop = (): void => end()
    const forget = onHangUp(request, stop)
    deps.waits.add(stop)
    try {
      return await stream(deps, session, { response, signal: ending.signal })
    } finally {
      deps.waits.delete(stop)
      forget()
      leave()
    }
  }
}

async function stream(
  deps: EventDependencies,
  session: ConsoleSession,
  way: StreamWay,
): Promise<"written" | "gone"> {
  const { response, signal } = way
  response.writeHead(200, { ...fromDaemon, "Content-Type": "text/event-stream" })
  response.flushHeaders() // the vault may not answer for a while
  // What ends it doesn't wait for a vault that doesn't answer.
  const refused = await Promise.race([pollVault(deps, session, way), aborted(signal)])
  const why = refused ?? (typeof signal.reason === "string" ? signal.reason : undefined)
  // Who left can't be told anything, and who doesn't read would keep the gate from stopping.
  if (response.destroyed || response.writableLength > 0) return "gone"
  response.end(why === undefined ? "" : eventText("ended", { why }))
  return "written"
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener("abort", () => resolve(undefined), { once: true })
  })
}

const tooMany: Problem = {
  code: "overloaded",
  message: "Too many consoles are open; close one and try again in a moment.",
}
