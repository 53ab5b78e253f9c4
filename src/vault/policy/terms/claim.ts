import type { Decimal } from "../../../venue/decimal.ts"
import type { DayWindow } from "../values/local-clock.ts"

/** When what was counted stops counting. Milliseconds. */
export type ClaimWindow = { readonly kind: "rolling"; readonly lengthMs: number } | DayWindow

/** `window: ever`: what was counted never stops counting. */
export const ever = { kind: "rolling", lengthMs: Infinity } as const

export function isEver(window: { readonly kind: string; readonly lengthMs?: number }): boolean {
  return window.lengthMs === ever.lengthMs
}

/**
 * What one limit counts of one request. Policy says what counts and the maximum. The ledger knows what is used,
 * and takes all claims of a request or none.
 */
export type Claim = {
  /** The limit's name, for answers only; `meter` identifies it. */
  readonly policy: string
  readonly limit: string
  readonly file: string
  readonly line: number
  /**
   * What is counted, and for whom: made from the limit's matchers, sum or count, window and `per`, and from the
   * client, key, symbol, account or asset. Name, max and mode aren't part of it, so a limit that is renamed or
   * raised keeps what was used.
   */
  readonly meter: string
  readonly window: ClaimWindow
  readonly amount: Decimal
  readonly max: Decimal
  readonly mode: "enforce" | "observe"
  /** Of `repeat_within`: where it is spent, the same body comes again. */
  readonly isRepeat?: true
  /** Whether the amount is given back when the request was sent once and the venue refused it. */
  readonly release: "never" | "refused"
}

/**
 * The size of an order when it was allowed: quote units at the worst price, one for the entry and one for each leg;
 * `null` if no price was known. It is recorded, so that limits count the same after prices have moved.
 */
export type OrderSize = {
  readonly entry: Decimal | null
  readonly legs: readonly (Decimal | null)[]
}
