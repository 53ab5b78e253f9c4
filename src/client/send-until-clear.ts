import { isNothingThere, type Answer, type Failure } from "./answer.ts"

export type Repeating = Pick<Waiting, "signal" | "onRepeat"> & {
  readonly idempotencyKey?: string
  /** Of a call by a check: that is its key. */
  readonly check?: string
  /** How often it is sent at most; 5 if left out. */
  readonly mostSends?: number
  /** After the first send, where its answer doesn't say how long to wait, and then twice as long each time; 500 if left out. */
  readonly pauseMs?: number
}

/** The longest that a daemon is waited for which says when to ask again; most signatures are good for 15 s. */
const longestPauseMs = 5_000

/** An answer, and the key that it was given under. */
type KeyedAnswer<Wanted> = Answer<Wanted> & { readonly idempotencyKey: string }

/**
 * Sends the same request, under the same idempotency key, until the venue's answer is clear.
 *
 * Doubt is a reason to send again, and the venue's 429 that asks for a short pause: what the daemon refuses before
 * there is any doubt is returned. Once an answer was lost, no refusal of the daemon's ends the doubt, so
 * `mayHaveArrived` stays true until the venue's own answer comes, or the daemon knows that nothing arrived. Only a
 * key that was made here is then replaced by another.
 */
export async function sendUntilClear<Wanted>(
  send: (idempotencyKey: string) => Promise<Answer<Wanted>>,
  by: Repeating,
): Promise<KeyedAnswer<Wanted>> {
  const { mostSends, pauseMs, onRepeat } = withDefaults(by)
  const isOwn = givenKey(by) === undefined
  let idempotencyKey = keyOf(by)
  let isInDoubt = false
  for (let sends = 1; ; sends++) {
    const answer = await send(idempotencyKey)
    if (answer.ok) return { ...answer, idempotencyKey }
    isInDoubt = isDoubtful(answer, isInDoubt)
    const last = { ...answer, mayHaveArrived: isInDoubt, idempotencyKey }
    const isOver = isNothingThere(answer)
    const isAgain = isOver ? isOwn : isWorthAgain(answer, isInDoubt)
    if (sends >= mostSends || !isAgain) return last
    onRepeat(answer)
    if (!(await pause(pauseAfter(answer, pauseMs * 2 ** (sends - 1)), by.signal))) return last
    if (isOver) idempotencyKey = crypto.randomUUID()
  }
}

/** Whether the same, under the same key, may be answered otherwise. */
function isWorthAgain(failure: Failure, isInDoubt: boolean): boolean {
  return isPutOff(failure) || (isInDoubt && !isLastWord(failure))
}

function pauseAfter({ retryAfterMs }: Failure, otherwiseMs: number): number {
  return Math.min(retryAfterMs ?? otherwiseMs, longestPauseMs)
}

function givenKey({ idempotencyKey, check }: Repeating): string | undefined {
  return idempotencyKey ?? check
}

function keyOf(by: Repeating): string {
  return givenKey(by) ?? crypto.randomUUID()
}

function withDefaults({ mostSends = 5, pauseMs = 500, onRepeat = () => undefined }: Repeating) {
  return { mostSends, pauseMs, onRepeat }
}

/** Only the venue can end a doubt, and the daemon where it knows that nothing reached the venue. */
function isDoubtful(failure: Failure, wasInDoubt: boolean): boolean {
  const { source, mayHaveArrived } = failure
  return mayHaveArrived || (source !== "venue" && wasInDoubt && !isNothingThere(failure))
}

/** Whether the venue was asked too fast, and may be again before most signatures expire. */
function isPutOff({ source, status, retryAfterMs = 0 }: Failure): boolean {
  return source === "venue" && status === 429 && retryAfterMs <= longestPauseMs
}

/** Whether another send under this key would be told the same. */
function isLastWord(failure: Failure): boolean {
  if (failure.source !== "daemon") return false
  const { code, data } = failure
  // The venue saw the same bytes again and refused them, which tells nothing of the first time; its 429 only puts off.
  if (code === "upstream_outcome_unknown") {
    return data.venue !== undefined && data.venue.status !== 429
  }
  return ["already_accepted", "idempotency_expired", "idempotency_conflict"].includes(code)
}

/** Waits for so long, or until the signal; tells whether it was the whole time. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isWhole: boolean): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
      resolve(isWhole)
    }
    const abort = (): void => end(false)
    const timer = setTimeout(() => end(true), ms)
    signal?.addEventListener("abort", abort)
    if (signal?.aborted === true) abort()
  })
}

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
