import { setTimeout as after } from "node:timers/promises"

import type { BotParams, BotResults } from "../../link/calls/methods.ts"

/** How long after a signature the way is kept warm. A bot that trades asks again within that. */
const warmForMs = 10_000

/**
 * Keeps the way of the next signature warm: asks again and again about the request that was signed last, as `/check`
 * does, one at a time. Of a check nothing is signed, counted or recorded, and it reaches no key.
 */
export function keepWarm({
  check,
  everyMs,
  clock,
}: {
  readonly check: (ask: BotParams["check"]) => Promise<Pick<BotResults["check"], "kind">>
  /** Between two; `undefined` to end. */
  readonly everyMs: () => number | undefined
  /** Milliseconds that only run on. */
  readonly clock: () => number
}) {
  let last: { readonly ask: BotParams["check"]; readonly untilMs: number } | undefined
  let isAtWork = false
  const checkNext = async (): Promise<boolean> => {
    const pauseMs = everyMs()
    if (last === undefined || pauseMs === undefined) return false
    await after(pauseMs, undefined, { ref: false })
    if (clock() >= last.untilMs) return false
    // Refused as a whole is a token that isn't good any more: asked again, it would count as a wrong one.
    return (await check(last.ask)).kind === "answer"
  }
  const checkOn = async (): Promise<void> => {
    isAtWork = true
    try {
      while (await checkNext());
    } catch {
      // the vault is away, which the next request will tell
    } finally {
      last = undefined
      isAtWork = false
    }
  }
  return {
    /** This was signed just now. */
    signed: (ask: BotParams["check"]): void => {
      if (ask.check !== undefined) return // asking about one takes a turn of the ledger
      last = { ask, untilMs: clock() + warmForMs }
      if (!isAtWork) void checkOn()
    },
  }
}
