import type { Answer, Failure } from "./answer.ts"
import { pause } from "./pause.ts"
import type { Waiting } from "./wait-for-room.ts"

export type Repeating = Pick<Waiting, "signal" | "onRepeat"> & {
  /** How often it is sent at most; 5 if left out. */
  readonly mostSends?: number
  /** After the first send, where its answer doesn't say how long to wait, and then twice as long each time; 500 if left out. */
  readonly pauseMs?: number
}

/** The longest that a daemon is waited for which says when to ask again; most signatures are good for 15 s. */
const longestPauseMs = 5_000

/**
 * Sends the same request, under the same idempotency key, until the venue's answer is clear.
 *
 * Only doubt is a reason to send again: what the daemon refuses before there is any is returned. Once an answer
 * was lost, no refusal of the daemon's ends the doubt, so `mayHaveArrived` stays true until the venue's own
 * answer comes.
 */
export async function sendUntilClear<Wanted>(
  send: () => Promise<Answer<Wanted>>,
  by: Repeating,
): Promise<Answer<Wanted>> {
  const { mostSends, pauseMs, onRepeat } = withDefaults(by)
  let isInDoubt = false
  for (let sends = 1; ; sends++) {
    const answer = await send()
    if (answer.ok) return answer
    isInDoubt = isDoubtful(answer, isInDoubt)
    const last = { ...answer, mayHaveArrived: isInDoubt }
    if (!isInDoubt || sends >= mostSends || isLastWord(answer)) return last
    onRepeat(answer)
    const ms = Math.min(answer.retryAfterMs ?? pauseMs * 2 ** (sends - 1), longestPauseMs)
    if (!(await pause(ms, by.signal))) return last
  }
}

function withDefaults({
  mostSends = 5,
  pauseMs = 500,
  onRepeat = () => undefined,
}: Repeating): Required<Omit<Repeating, "signal">> {
  return { mostSends, pauseMs, onRepeat }
}

/** Only the venue can end a doubt. */
function isDoubtful({ source, mayHaveArrived }: Failure, wasInDoubt: boolean): boolean {
  return mayHaveArrived || (source !== "venue" && wasInDoubt)
}

/** Whether another send under this key would be told the same. */
function isLastWord(failure: Failure): boolean {
  if (failure.source !== "daemon") return false
  const { code, data } = failure
  // The venue saw the same bytes again and refused them, which tells nothing of the first time.
  if (code === "upstream_outcome_unknown") return data.venue !== undefined
  return ["already_accepted", "idempotency_expired", "idempotency_conflict"].includes(code)
}
