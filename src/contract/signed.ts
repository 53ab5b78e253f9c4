import type { KeptAnswer } from "../link/calls/both-ways.ts"
import type { Moment } from "../std/time/moment.ts"

/** A request that was signed. */
export type Signed = {
  readonly record: string
  readonly path: string
  /** The signed body, compact JSON, ready to send to `path`. */
  readonly body: string
  readonly expiresAfter: number
  /** For how long it is good yet, by the vault's time as it answered: who sends it needs no clock that agrees. */
  readonly goodForMs: number
  /** After this it isn't handed on: other hosts count on that. There where there are some. */
  readonly outBy?: Moment | undefined
  /** It is sent to paper's venue, and to no other. */
  readonly paper?: true
  /** There where the request has an idempotency key. */
  readonly repeat?: Repeat
}

/** What of one of the venue's rate budgets is left for the client. Weights, of a rolling minute. */
export type RateLimit = {
  readonly scope: "address" | "ip"
  readonly max: number
  /** What its requests may weigh now, those that reduce risk apart. */
  readonly left: number
  /** When the oldest of what is used stops counting; `null` when nothing is. */
  readonly freesInMs: number | null
}

/** Whether a request with this key came before, and whether what was signed then may have been sent. */
export type Repeat = "first" | "unsent" | "perhaps_sent"

/** A repeat of a request whose answer is known; nothing is signed for it. */
export type Answered = {
  readonly kind: "answered"
  readonly record: string
  readonly answer: KeptAnswer & { readonly status: number }
}

/** An account operation that the operator asked for, signed and not sent yet. */
export type SignedOperation = {
  readonly record: string
  readonly base_url: string | null
  readonly path: string
  /** Compact JSON, ready to send. */
  readonly body: string
  readonly expires_after: number
  /** For how long it is good yet, by the vault's time as it answered. */
  readonly good_for_ms: number
}
