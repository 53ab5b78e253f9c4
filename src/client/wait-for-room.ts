import type { Answer, Failure } from "./answer.ts"
import { pause } from "./pause.ts"

export type Waiting = {
  /**
   * How long it may wait in all while the daemon says that a rate budget or a limit is spent, or the venue that it is
   * asked too fast, in milliseconds; 0 if left out. What would take longer is answered at once.
   */
  readonly waitMs?: number
  /** Ends the waiting, and a call that is under way. */
  readonly signal?: AbortSignal
  /** Is told each answer after which it is sent again. */
  readonly onRepeat?: (failure: Failure) => void
}

/** So often at most the daemon is asked. */
const leastPauseMs = 20

/**
 * Asks, and asks again when the daemon says that there is room, until it is answered otherwise or the next wait
 * would pass the bound.
 */
export async function waitForRoom<Wanted>(
  ask: () => Promise<Answer<Wanted>>,
  { waitMs = 0, signal, onRepeat = () => undefined }: Waiting,
  mayAskVenueAgain: boolean,
): Promise<Answer<Wanted>> {
  for (let leftMs = waitMs; ;) {
    const answer = await ask()
    if (answer.ok) return answer
    const pauseMs = pauseBefore(answer, mayAskVenueAgain)
    if (pauseMs === undefined || pauseMs > leftMs) return answer
    leftMs -= pauseMs
    onRepeat(answer)
    if (!(await pause(pauseMs, signal))) return answer
  }
}

/**
 * How long until there is room; `undefined` where it isn't room that is missing, or room never comes. What the
 * daemon refuses by 429 was neither signed nor sent, so nothing is doubled. What the venue refuses so is sent again as
 * it was under its idempotency key; without one it would be another request.
 */
function pauseBefore(
  { source, status, retryAfterMs }: Failure,
  mayAskVenueAgain: boolean,
): number | undefined {
  const isAsked = source === "daemon" || (source === "venue" && mayAskVenueAgain)
  if (!isAsked || status !== 429 || retryAfterMs === undefined) return undefined
  return Math.max(leastPauseMs, retryAfterMs)
}
