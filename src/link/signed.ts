import type { KeptAnswer } from "./outcome.ts"

/** A request that was signed. */
export type Signed = {
  readonly record: string
  readonly path: string
  /** The signed body, compact JSON, ready to send to `path`. */
  readonly body: string
  readonly expiresAfter: number
  /** There where the request has an idempotency key. */
  readonly repeat?: Repeat
}

/** Whether a request with this key came before, and whether what was signed then may have been sent. */
export type Repeat = "first" | "unsent" | "perhaps_sent"

/** A repeat of a request whose answer is known; nothing is signed for it. */
export type Answered = {
  readonly kind: "answered"
  readonly record: string
  readonly answer: KeptAnswer & { readonly status: number }
}
