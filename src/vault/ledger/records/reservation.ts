import type { Refusal } from "../../../contract/refusal.ts"
import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { Lane } from "../../../venue/payload/payload.ts"
import type { Spending } from "../../budgets/budget.ts"
import type { Claim, OrderSize } from "../../policy/terms.ts"
import type { LedgerTime } from "../../process/clock.ts"
import type { RequestEntry } from "./entries.ts"
import type { GrantAsk } from "./hold.ts"
import type { RecordId } from "./record-id.ts"

export type ReserveAsk = {
  readonly signer: Address
  readonly entry: RequestEntry
  /** All are counted, or the request is refused and none is. */
  readonly claims: readonly Claim[]
  /** What its orders were sized at, in their order; recorded. */
  readonly sizes: readonly OrderSize[]
  /** The hold whose release it uses up, or whose grant it uses. */
  readonly release: { readonly hold: string; readonly grant?: GrantAsk } | undefined
  /** What it spends of the venue's budgets; left out where none is kept. */
  readonly spending?: Spending | undefined
  /** What guards make of it, at the moment in which it is taken. */
  readonly guarded?:
    | {
        /** Why it would pass a guard, by what is known now. */
        readonly refusal: () => Refusal | undefined
        /** It is signed: it counts in full until a reading covers it. */
        readonly took: (record: RecordId, expiresAfterMs: number) => void
      }
    | undefined
  /** `expires_after = max(now, nonce) + ttlMs`. */
  readonly ttlMs: number
  /** What isn't open is signed by the ledger's time also while the wall clock isn't believed. */
  readonly lane: Lane
  readonly nowMs: LedgerTime
}

/** What was taken for a request. Times in milliseconds. */
export type Taken = {
  readonly record: RecordId
  /** Unique and rising for each signer, whatever the clock does. */
  readonly nonce: number
  readonly expiresAfterMs: number
}

export type Reservation =
  (Taken & { readonly kind: "reserved" }) | { readonly kind: "refused"; readonly refusal: Refusal }

/** How one claim stands. Claims of one limit on one meter are asked together, so they stand alike. */
export type Headroom = {
  readonly claim: Claim
  readonly asked: Decimal
  readonly used: Decimal
  /** `used + asked` is at most the claim's `max`. */
  readonly fits: boolean
  /** When what is asked fits: now if it does already, `undefined` if time alone never makes it fit. */
  readonly freesAtMs: number | undefined
}
