import type { KeptAnswer } from "../../../link/views/signed.ts"
import type { Refusal } from "../../../link/views/refusal.ts"
import type { Approval } from "./bindings.ts"
import type { Heard } from "./record-state.ts"

// The journal's rows as they are written: docs/ledger-schema.md describes them. What is stored can't be
// changed later, so a new field is a new optional field, and a new meaning is a new kind.

type Row<Kind extends string, Fields> = {
  readonly kind: Kind
  readonly id: string
  readonly at_ms: number
} & Fields

export type RequestRow = Row<
  "request",
  {
    readonly client: string
    readonly key: string
    readonly operation: string
    readonly path: string
    readonly target: string | null
    readonly body: string
    readonly policy_hash: string
    readonly rule: string
    readonly purpose: string
    readonly signer: string
    readonly nonce: number
    readonly expires_after: number
    /** What its orders were sized at; left out where there are none. */
    readonly sizes?: readonly SizeFields[]
    /** The hold whose release it used up. */
    readonly release?: string
    /** What each meter of a limit with `window: ever` has counted, this request among it. */
    readonly ever?: Readonly<Record<string, string>>
    /** What a refusal of its only send gives back; of forwarded requests alone. */
    readonly refunds?: readonly RefundFields[]
    /** The time that its claims count from, where that isn't `at_ms`: the clock had gone back. */
    readonly counted_at?: number
    /** Of a single order. */
    readonly client_order_id?: string
    readonly idempotency?: IdempotencyFields
    /** The trace that the bot said it belongs to. */
    readonly traceparent?: string
    /** Signed while its host couldn't follow the others: later entries may be earlier, with nonces below its own. */
    readonly isolated?: true
  }
>

/** What a repeat of the request is known by. */
export type IdempotencyFields = {
  readonly by: "header" | "client_order_id"
  readonly key: string
  /** SHA-256 of what the key stands for, hex. */
  readonly binding: string
  /** The request that had the key before. */
  readonly replaces?: string
}

/** Decimals as text, as everywhere in rows. */
export type SizeFields = {
  readonly entry: string | null
  readonly legs: readonly (string | null)[]
}

export type RefundFields = {
  readonly meter: string
  readonly amount: string
  readonly max: string
  readonly window:
    | { readonly kind: "rolling"; readonly length_ms: number }
    | { readonly kind: "day"; readonly start_ms: number; readonly end_ms: number }
}

/** A request that was only asked about, kept to be judged again by other files. */
export type ShadowRow = Row<
  "shadow",
  Pick<
    RequestRow,
    "client" | "key" | "operation" | "path" | "target" | "body" | "policy_hash" | "signer" | "sizes"
  >
>

export type RefusalRow = Row<
  "refusal",
  {
    readonly client: string
    readonly key: string | null
    readonly operation: string | null
    readonly policy_hash: string
    readonly refusal: Refusal
  }
>

/** `count` more refusals like the one of `record` came within its second. */
export type RepeatsRow = Row<"repeats", { readonly record: string; readonly count: number }>

/** `count` refusals came while too many waited to be written. */
export type OmittedRow = Row<"omitted", { readonly count: number }>

export type OutcomeRow = Row<
  "outcome",
  {
    readonly record: string
    readonly outcome: Heard
    readonly status: number | null
    readonly code: string | null
    /** As in a request: the time that room is given back at. */
    readonly counted_at?: number
    /** The same bytes may have been sent before. */
    readonly again?: true
    /** The `sent` before it didn't happen. */
    readonly withdrawn?: true
    /** What the venue answered, of requests that have an idempotency key. */
    readonly answer?: KeptAnswer
  }
>

/** The entry before it, signed with the ledger's key. */
export type CheckpointRow = Row<"checkpoint", CheckpointFields>

export type CheckpointFields = {
  readonly head_seq: number
  /** Hex, as in `public_key` and `signature`. */
  readonly head_hash: string
  readonly public_key: string
  readonly signature: string
}

export type KeyFields = {
  readonly name: string
  readonly address: string
  readonly role: string
  readonly wallet: string | null
  readonly targets: readonly string[]
  readonly network: string
  readonly approval: Approval
  readonly expires_at: number | null
}

export type ClientFields = {
  readonly name: string
  readonly token_hash: string | null
  readonly keys: readonly string[]
  readonly rights: readonly string[]
  readonly allow_type_b: boolean
  /** Left out where it is `header`. */
  readonly idempotency_by?: "client_order_id"
  /** Left out where its token never expires. */
  readonly expires_at?: number
}

export type Act =
  | { readonly act: "started"; readonly policy_hash: string }
  | AskedAct
  | { readonly act: "key_added"; readonly key: KeyFields }
  | { readonly act: "key_exported"; readonly name: string }
  | { readonly act: "key_removed"; readonly name: string }
  | { readonly act: "key_targets_set"; readonly name: string; readonly targets: readonly string[] }
  | { readonly act: "key_replaced"; readonly from: string; readonly to: string }
  | { readonly act: "client_added"; readonly client: ClientFields }
  /** As it is from then on. */
  | { readonly act: "client_set"; readonly client: ClientFields }
  | { readonly act: "client_token_set"; readonly name: string; readonly token_hash: string }
  | { readonly act: "client_revoked"; readonly name: string }
  | { readonly act: "locked"; readonly by: string }
  | { readonly act: "unlocked" }
  | ({ readonly act: "frozen" } & FreezeFields)
  | { readonly act: "thawed"; readonly scope: string; readonly name: string | null }
  | { readonly act: "heartbeat_armed" | "heartbeat_missed"; readonly client: string }
  | {
      readonly act: "agent_approved"
      readonly name: string
      readonly expires_at: number
      readonly record: string
      readonly wallet?: string
    }
  | { readonly act: "agent_revoked"; readonly name: string; readonly record: string }
  | ({ readonly act: "hold_opened" } & HoldFields)
  | { readonly act: "hold_released" | "hold_refused"; readonly hold: string; readonly by: string }
  | ({ readonly act: "price_set" } & PriceFields)
  | ({ readonly act: "limit_raised" } & RaiseFields)
  | { readonly act: "limit_raise_ended"; readonly limit: string }
  /** `files` is left out where an earlier entry with this hash has them. */
  | { readonly act: "set_activated"; readonly hash: string; readonly files?: readonly SetFile[] }
  | { readonly act: "set_accepted"; readonly hash: string }
  | ({ readonly act: "archived" } & ArchivedFields)
  | SafetyAct

/** That a call of the admin socket came, and who the command said runs it; what it changed follows, if anything. */
export type AskedAct = { readonly act: "asked"; readonly method: string; readonly by: string }

/** What an operator did about copies of the ledger and about the clock. */
export type SafetyAct =
  /** A copy up to and with the entry `head_seq` was written and checked; `head_hash` is that entry's, hex. */
  | { readonly act: "backed_up"; readonly head_seq: number; readonly head_hash: string }
  /** From here on the ledger has another name, and these signers go on above these nonces. */
  | {
      readonly act: "restore_accepted"
      readonly ledger: string
      readonly signers: readonly SignerFloor[]
    }
  | { readonly act: "clock_accepted" }

/** A signer of an older ledger, and the nonce that it goes on above. */
export type SignerFloor = { readonly signer: string; readonly nonce: number }

/** Entries that were moved into a file, which is durable. Hashes in hex. */
export type ArchivedFields = {
  /** Its name without a directory. */
  readonly file: string
  /** Of the file's bytes. */
  readonly sha256: string
  readonly first_seq: number
  readonly last_seq: number
  /** Of the entry `last_seq`: what the next one is chained to. */
  readonly last_hash: string
  /** The earliest and the latest `at_ms` among them. */
  readonly from_ms: number
  readonly to_ms: number
}

export type FreezeFields = {
  readonly scope: string
  readonly name: string | null
  readonly reason: string
  readonly by: string
  readonly cancels: boolean
  readonly since: number
}

export type HoldFields = {
  readonly hold: string
  readonly client: string
  readonly key: string
  readonly operation: string
  readonly target: string | null
  readonly body_hash: string
  readonly body: string
  readonly policy: string
  readonly rule: string
  readonly worst: string
  readonly expires_at: number
}

export type PriceFields = {
  readonly symbol_id: number
  readonly value: string
  readonly as_of: number
  readonly by: string
  readonly confirmed: boolean
  /** Absent in rows of older versions. */
  readonly drift?: DriftFields | null
}

export type DriftFields = {
  readonly anchor: string
  readonly anchor_at: number
  /** A whole number of 10^-18. */
  readonly allowance: string
  readonly held: { readonly value: string; readonly by: string; readonly at: number } | null
}

export type RaiseFields = {
  readonly limit: string
  readonly to: string
  readonly until: number
  readonly reason: string
}

export type SetFile = { readonly name: string; readonly text: string }

export type ActRow = Row<"act", Act>
export type RowOf<Name extends Act["act"]> = Extract<ActRow, { readonly act: Name }>

export type JournalRow =
  | ShadowRow
  | RequestRow
  | RefusalRow
  | RepeatsRow
  | OmittedRow
  | OutcomeRow
  | CheckpointRow
  | ActRow

/** `state` as it was written: that it has expired isn't. */
export type StoredHold = HoldFields & {
  readonly opened_at: number
  readonly state: "pending" | "released" | "refused" | "used"
  readonly decided_by: string | null
}
