import { hash, randomBytes } from "node:crypto"

import type { Refusal } from "../link/refusal.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { ActiveSet } from "./active-set.ts"
import type { Client } from "./bindings.ts"

/** How many wrong tokens are answered 401 before they are answered 429, and how many more each second. */
const badTokenBurst = 20
const badTokensPerSecond = 1

/** Counts wrong tokens, in all: a guesser has no name to be counted by. */
export type BadTokenCount = { left: number; atMs: number }

/** Starts with the whole burst left. */
export function countBadTokens(nowMs: number): BadTokenCount {
  return { left: badTokenBurst, atMs: nowMs }
}

/**
 * Finds the client whose token this is. A right token is served however many wrong ones came before.
 *
 * Tokens are 256 random bits, looked up by hash: how long the look-up takes tells nothing of a token.
 */
export function authenticate(
  token: string,
  set: ActiveSet,
  badTokens: { readonly count: BadTokenCount; readonly nowMs: number },
): Result<Client, Refusal> {
  const client = set.clientByTokenHash.get(hashToken(token))
  return client === undefined ? err(refuseToken(badTokens.count, badTokens.nowMs)) : ok(client)
}

/** SHA-256 of a token, as it is kept. */
export function hashToken(token: string): string {
  return `0x${hash("sha256", token)}`
}

/** A new token: `cs_` and 256 random bits in base64url. */
export function makeToken(): string {
  return `cs_${randomBytes(32).toString("base64url")}`
}

/** Counts a wrong token; when there were too many, tells in how many milliseconds another one is taken. */
export function spendBadToken(count: BadTokenCount, nowMs: number): number | undefined {
  const refilled = count.left + (Math.max(0, nowMs - count.atMs) / 1000) * badTokensPerSecond
  count.left = Math.min(badTokenBurst, refilled)
  count.atMs = nowMs
  if (count.left < 1) return Math.ceil(((1 - count.left) / badTokensPerSecond) * 1000)
  count.left -= 1
  return undefined
}

function refuseToken(count: BadTokenCount, nowMs: number): Refusal {
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
