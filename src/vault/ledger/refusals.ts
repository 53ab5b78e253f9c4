import type { Refusal } from "../../contract/refusal.ts"
import { excessOf, formatDecimal } from "../../venue/decimal.ts"
import { type Claim, isEver, type DenialReason } from "../policy/terms.ts"
import type { Headroom } from "./records/reservation.ts"

/** The sentence names no time, so that what comes again and again is recorded as one refusal. */
export function limitExhausted(
  { claim, asked, used, freesAtMs }: Headroom,
  nowMs: number,
): Refusal {
  if (claim.isRepeat) return repeated(claim)
  const amounts = {
    max: formatDecimal(claim.max),
    used: formatDecimal(used),
    asked: formatDecimal(asked),
    room: formatDecimal(excessOf(claim.max, used)),
  }
  const never = isEver(claim.window)
    ? "only an operator makes room"
    : "it never allows that much at once"
  const advice = freesAtMs === undefined ? never : "frees_at says when it has room"
  return {
    code: "limit_exhausted",
    message: `The limit ${claim.policy}/${claim.limit} is spent: ${amounts.used} of ${amounts.max} used, ${amounts.asked} asked; ${advice}.`,
    data: {
      policy: claim.policy,
      limit: claim.limit,
      ...amounts,
      frees_at: freesAtMs ?? null,
      retry_after_ms: freesAtMs === undefined ? null : freesAtMs - nowMs,
    },
  }
}

/** A denial: a bot that waits and sends it once more would do what it is kept from. */
function repeated({ policy, limit: rule, file, line }: Claim): Refusal {
  const reason: DenialReason = "repeated_within"
  const asked = "the same body again, without an Idempotency-Key"
  const allowed = "the same body once within that time, or with an Idempotency-Key"
  return {
    code: "policy_denied",
    message: `Refused by policy: ${reason} (${policy}/${rule}, ${file}:${line}); the same was signed for this client and key a moment ago. If a second one is meant, send it with an Idempotency-Key.`,
    data: { policy, rule, reason, file, line, asked, allowed },
  }
}

/** Why a held request isn't signed. */
export function releaseUnusable(hold: string): Refusal {
  return {
    code: "approval_required",
    message:
      "The release of this hold can't be used: it was used, has expired, or is another request's; ask again.",
    data: { hold, expires_at: null },
  }
}

/** Why a signer has no nonce now. */
export function tooFast(retryAfterMs: number): Refusal {
  return {
    code: "signer_pace",
    message:
      "This signer's next nonce would lie too far ahead of the clock, or is kept for its other clients: a signer has one a millisecond, 15 a second on a host that can't reach PostgreSQL; try again a little later.",
    data: { retry_after_ms: retryAfterMs },
  }
}

/** Why a client can't have one more hold. */
export function tooManyHolds(): Refusal {
  return {
    code: "overloaded",
    message:
      "As many requests of this client as may wait for a person do so already, or came within this second; try again when some are decided.",
    data: null,
  }
}
