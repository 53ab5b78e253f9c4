import type { Decimal } from "../../../venue/decimal.ts"

/** When what was counted stops counting. Milliseconds. */
export type ClaimWindow =
  | { readonly kind: "rolling"; readonly lengthMs: number }
  /** A calendar day of some time zone; 23 to 25 hours long. */
  | { readonly kind: "day"; readonly startMs: number; readonly endMs: number }

/**
 * What one limit counts of one request. Policy only says what counts and how much there may be; the
 * ledger knows what is used, and takes all claims of a request or none.
 */
export type Claim = {
  /** The limit that claims: for answers, never for identity. */
  readonly policy: string
  readonly limit: string
  readonly file: string
  readonly line: number
  /**
   * What is counted, for whom: made of the limit's matchers, sum or count, window and `per`, and of the
   * client, key, symbol, account or asset that it is counted for. Name, max and mode aren't part of it,
   * so a renamed or raised limit goes on from what was used.
   */
  readonly meter: string
  readonly window: ClaimWindow
  readonly amount: Decimal
  readonly max: Decimal
  readonly mode: "enforce" | "observe"
  /** Whether the venue's refusal of the only send gives the amount back. */
  readonly release: "never" | "refused"
}

/**
 * What an order was sized at when it was allowed: quote units at the worst price, entry and legs apart;
 * `null` where no price was known. Recorded, so that limits count it the same after prices have moved.
 */
export type OrderSize = {
  readonly entry: Decimal | null
  readonly legs: readonly (Decimal | null)[]
}
