import type { ActiveSet, SetInForce } from "../active/active-set.ts"
import type { Budgets } from "../budgets/budgets.ts"
import type { Spending } from "../budgets/budget.ts"
import type { GuardedAccounts } from "../guards/accounts.ts"
import type { KeyLocks, Keyring } from "../keyring/keyring.ts"
import type { Ledger, LedgerTurn } from "../ledger/ledger.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { IdempotencyKey } from "../ledger/records/idempotency.ts"
import type { SignerMarks } from "../ledger/signers/signer-marks.ts"
import type { VaultMetrics } from "../metrics/vault-metrics.ts"
import type { Clock, LedgerClock } from "../process/clock.ts"
import type { DiskSpace } from "../watch/disk-space.ts"
import type { VenueClock } from "../watch/venue-clock.ts"
import type { TokenContext } from "./authorize.ts"
import type { ParsedRequest, SignCall } from "./parse-request.ts"

/** What a client asks at one moment, under the files that are in force then. */
export type Asking = {
  readonly client: Client
  readonly call: SignCall
  readonly set: ActiveSet
  /** The ledger's turn in which it is judged. */
  readonly turn: LedgerTurn
  /** The idempotency key that the turn was asked for with. */
  readonly key: IdempotencyKey | undefined
  /** It isn't one of a batch: its answer tells how the venue's rate budgets stand. */
  readonly isAlone?: true
}

/** The same once it is read. */
export type Asked = Asking & {
  readonly request: ParsedRequest
  readonly spending: Spending | undefined
}

/** What a request is judged, recorded and signed with. */
export type SignContext = TokenContext & {
  readonly accounts: GuardedAccounts
  readonly ledger: Ledger
  readonly keyring: Keyring
  readonly disk: DiskSpace
  readonly venueClock: VenueClock
  readonly metrics: VaultMetrics
}

/** What it takes to say whether a request would be signed. */
export type ExplainContext = SetInForce &
  Pick<SignContext, "disk" | "venueClock"> & {
    /** By which guards judge; `undefined` where files alone are asked. */
    readonly accounts: GuardedAccounts | undefined
    readonly ledger: Pick<Ledger, "findRelease" | "findGrant" | "headroom" | "isolated"> & {
      readonly budgets: Pick<Budgets, "shortage">
      readonly marks: Pick<SignerMarks, "waiting">
      readonly clock: Pick<LedgerClock, "doubt">
    }
    readonly keyring: KeyLocks
    /** The ledger's turn in which the check was looked up that is named. */
    readonly turn?: LedgerTurn
  }

/** What it takes besides to keep it. */
export type CheckContext = Omit<SignContext, "keyring" | "metrics"> & {
  readonly keyring: KeyLocks
  readonly clock: Pick<Clock, "monotonicMs">
}
