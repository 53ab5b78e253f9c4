import type { Refusal } from "../../contract/refusal.ts"

/** How many wrong tokens are answered 401 before they are answered 429, and how many more each second. */
const badTokenBurst = 20
const badTokensPerSecond = 1

/** Counts wrong tokens, in all: a guesser has no name to be counted by. */
export type BadTokenCount = { left: number; atMs: number }

/** Starts with the whole burst left. */
export function countBadTokens(nowMs: number): BadTokenCount {
  return { left: badTokenBurst, atMs: nowMs }
}

/** Counts a wrong token; when there were too many, tells in how many milliseconds another one is taken. */
function spendBadToken(count: BadTokenCount, nowMs: number): number | undefined {
  const refilled = count.left + (Math.max(0, nowMs - count.atMs) / 1000) * badTokensPerSecond
  count.left = Math.min(badTokenBurst, refilled)
  count.atMs = nowMs
  if (count.left < 1) return Math.ceil(((1 - count.left) / badTokensPerSecond) * 1000)
  count.left -= 1
  return undefined
}

/** Counts a wrong token and refuses its request: 401, or 429 when there were too many. */
export function refuseToken(count: BadTokenCount, nowMs: number): Refusal {
  const retryAfterMs = spendBadToken(count, nowMs)
  if (retryAfterMs !== undefined) {
    return {
      code: "too_many_bad_tokens",
      message: "Too many requests came with a wrong token; check the token and try again later.",
      data: { retry_after_ms: retryAfterMs },
    }
  }
  return {
    code: "unauthorized",
    message: "No client has this token; send the one that countersign clients add printed.",
    data: null,
  }
}
