import { setTimeout as after } from "node:timers/promises"

import type { BotLink } from "../../link/client.ts"
import type { ConsoleSession } from "../../link/console-methods.ts"
import type { ConsoleState, DecisionFeed } from "../../link/console-views.ts"
import { Fault } from "../../std/fault.ts"
import type { GateLimits } from "../gate-limits.ts"
import type { GateMetrics } from "../metrics/gate-metrics.ts"
import { problemOf } from "../problem.ts"
import { written, type StreamWay } from "../written.ts"
import { aliveText, eventText } from "./event-text.ts"

export type PollDependencies = {
  readonly link: Pick<BotLink, "call">
  readonly metrics: Pick<GateMetrics, "signingTimes">
  readonly limits: GateLimits
}

/**
 * Tells a console what the vault says until the signal ends it; or until the vault refuses the session, and
 * then returns why. It looks again once all has left that it saw, so a slow reader gets what is newest by then
 * and nothing piles up. While the vault is away it goes on trying.
 */
export async function pollVault(
  deps: PollDependencies,
  session: ConsoleSession,
  way: StreamWay,
): Promise<string | undefined> {
  const { consolePollMs, consoleRetryMs } = deps.limits
  const look = openLook(deps, session)
  for (let wasAway = false; !way.signal.aborted;) {
    const seen = await look()
    if (seen.kind === "refused") return seen.why
    const isAway = seen.kind === "away"
    await written(isAway && wasAway ? aliveText : seen.text, way)
    wasAway = isAway
    const pauseMs = isAway ? consoleRetryMs : consolePollMs
    await after(pauseMs, undefined, { signal: way.signal }).catch(() => undefined) // ends early
  }
  return undefined
}

type Seen =
  | { readonly kind: "seen" | "away"; readonly text: string }
  | { readonly kind: "refused"; readonly why: string }

/** At every so many looks at what was decided, all the rest is looked at too. */
const looksPerState = 4

function openLook(deps: PollDependencies, session: ConsoleSession): () => Promise<Seen> {
  let lastKnown: number | undefined
  let looks = 0
  return async () => {
    try {
      const isStateDue = looks % looksPerState === 0
      const [decided, standing] = await Promise.all([
        deps.link.call("consoleDecisions", { session, after: lastKnown }),
        isStateDue ? deps.link.call("consoleState", { session }) : undefined,
      ])
      if (decided.kind === "refused") return { kind: "refused", why: decided.refusal.message }
      if (standing?.kind === "refused") return { kind: "refused", why: standing.refusal.message }
      lastKnown = decided.feed.last
      looks += 1
      return { kind: "seen", text: stateText(standing?.state, deps) + feedText(decided.feed) }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      // Once it is back, all the rest comes first.
      looks = 0
      return { kind: "away", text: eventText("away", { why: problemOf(error).message }) }
    }
  }
}

function stateText(
  state: ConsoleState | undefined,
  { metrics }: Pick<PollDependencies, "metrics">,
): string {
  if (state === undefined) return ""
  return eventText("state", { vault: state, latency: metrics.signingTimes() })
}

function feedText(feed: DecisionFeed): string {
  return feed.decisions.length === 0 && feed.missed === 0 ? "" : eventText("decisions", feed)
}
