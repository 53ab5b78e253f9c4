import type { ActiveSet } from "../active/active-set.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { IdempotencyKey, KeyUse } from "../ledger/records/idempotency.ts"
import type { SignCall } from "./read-request.ts"

/** What a client asks at one moment, under the files that are in force then. */
export type Asking = {
  readonly client: Client
  readonly call: SignCall
  readonly set: ActiveSet
  readonly nowMs: LedgerTime
  /** The idempotency key that was looked up, and what it was used for. */
  readonly key: IdempotencyKey | undefined
  readonly use: KeyUse
  /** It isn't one of a batch: its answer tells how the venue's rate budgets stand. */
  readonly isAlone?: true
}
