import type { Mismatch } from "./decision.ts"
import type { Rule } from "./policy.ts"
import type { Subject } from "./subject.ts"

/** Holds the time that the signed request would be valid to the rule's `max_expires_in`. */
export function maxExpiresIn({ maxExpiresInMs }: Rule, { request }: Subject): Mismatch | undefined {
  // Not `>`: a number that isn't one compares as false, and must not pass.
  if (maxExpiresInMs === undefined || request.expiresInMs <= maxExpiresInMs) return undefined
  return {
    reason: "expires_in_over_max",
    asked: `valid for ${request.expiresInMs} ms`,
    allowed: `${maxExpiresInMs} ms; send Countersign-Expires-In`,
  }
}
