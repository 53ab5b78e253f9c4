import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import type { StoredSet } from "./entries.ts"
import type { Freeze, FreezeScope } from "./freeze.ts"
import type { RecordId } from "./record-id.ts"
import type { ArchivedFields, AskedAct, SafetyAct } from "./row.ts"

/** A change made by an operator, or one that follows from an accepted request. */
export type AdminEntry =
  | { readonly act: "started"; readonly policyHash: string }
  | AskedAct
  | { readonly act: "key_added"; readonly key: KeyEntry }
  | { readonly act: "key_exported"; readonly name: string }
  /** The secret was destroyed. */
  | { readonly act: "key_removed"; readonly name: string }
  | { readonly act: "key_targets_set"; readonly name: string; readonly targets: readonly Address[] }
  /** In every client's list `to` stands where `from` stood, and `from` is retired. */
  | { readonly act: "key_replaced"; readonly from: string; readonly to: string }
  | { readonly act: "client_added" | "client_set"; readonly client: Client }
  | { readonly act: "client_token_set"; readonly name: string; readonly tokenHash: string }
  | { readonly act: "client_revoked"; readonly name: string }
  | { readonly act: "locked"; readonly by: string }
  | { readonly act: "unlocked" }
  | ({ readonly act: "frozen" } & Freeze)
  | ({ readonly act: "thawed" } & FreezeScope)
  /** From now on its silence counts, until it is `missed`. */
  | { readonly act: "heartbeat_armed" | "heartbeat_missed"; readonly client: string }
  | {
      readonly act: "agent_approved"
      readonly name: string
      readonly expiresAtMs: number
      readonly record: RecordId
      /** The address of the wallet that approved it from elsewhere. */
      readonly wallet?: Address
    }
  | { readonly act: "agent_revoked"; readonly name: string; readonly record: RecordId }
  | ({ readonly act: "price_set" } & StoredPrice)
  /** Takes the place of an earlier one of the same limit. */
  | ({ readonly act: "limit_raised" } & Raise)
  | { readonly act: "limit_raise_ended"; readonly limit: string }
  | ({ readonly act: "set_activated" } & StoredSet)
  | { readonly act: "set_accepted"; readonly hash: string }
  | ({ readonly act: "archived" } & ArchivedFields)
  | SafetyAct

/** The reference price of a symbol, fed or set. */
export type StoredPrice = {
  readonly symbolId: number
  readonly value: Decimal
  readonly asOfMs: number
  /** The client or the operator that gave it. */
  readonly by: string
  /** Not when it waits for a person: it lies too far from its anchor, or has none. */
  readonly confirmed: boolean
  /** What bounds the next one; left out where nobody gave an anchor. */
  readonly drift?: PriceDrift | undefined
}

/** How far a fed price may move from one that no feed can move. */
export type PriceDrift = {
  /** The last price that a person gave or confirmed, or venue.yaml's. */
  readonly anchor: { readonly value: Decimal; readonly atMs: number }
  /** How far the price might move at `asOfMs`, in natural logarithms, 18 decimals. */
  readonly allowance: bigint
  /** The last one fed since that moved too fast. */
  readonly held?: { readonly value: Decimal; readonly by: string; readonly atMs: number }
}

/** A limit's maximum for some time. */
export type Raise = {
  /** `policy/name`; in ledgers of older versions a limit's name alone, for every policy's. */
  readonly limit: string
  readonly to: Decimal
  readonly untilMs: number
  readonly reason: string
}
