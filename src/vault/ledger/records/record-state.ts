import type { Outcome } from "../../../link/calls/both-ways.ts"

/** What the gate has told of a request so far. */
export type Heard = Outcome["kind"]

/** Later words replace earlier ones only upwards. */
const certainty: Readonly<Record<Heard, number>> = {
  unsent: 1,
  sent: 2,
  unknown: 3,
  refused: 4,
  accepted: 4,
}

/**
 * What is known once `next` was heard after `earlier`. The first final word stays.
 *
 * A refusal after `unknown` proves nothing: the earlier sending may have been accepted, and the venue
 * refuses a repeated nonce. So it stays `unknown`.
 */
export function hear(earlier: Heard | null, next: Heard): Heard {
  if (earlier === null) return next
  if (earlier === "unknown" && next === "refused") return earlier
  return certainty[next] > certainty[earlier] ? next : earlier
}

/** The state of a signed request as of `nowMs`. It expires *after* `expiresAfterMs`, so not yet at it. */
export function stateAsOf(
  heard: Heard | null,
  expiresAfterMs: number,
  nowMs: number,
): Exclude<RecordState, "refused_here"> {
  if (heard === "unsent") return "signed"
  if (heard !== null && heard !== "sent") return heard
  return nowMs > expiresAfterMs ? "expired_unresolved" : (heard ?? "signed")
}

/**
 * What became of a request. `sent`: the gate began to send it. `unknown`: it may have arrived.
 * `expired_unresolved`: it was returned or sent, nothing was heard, and it can't be accepted any more.
 */
export type RecordState =
  "refused_here" | "signed" | "sent" | "accepted" | "refused" | "unknown" | "expired_unresolved"
