import type { Refusal } from "../../link/refusal.ts"
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
  }
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
  }
>

export type KeyFields = {
  readonly name: string
  readonly address: string
  readonly role: string
  readonly wallet: string | null
  readonly targets: readonly string[]
  readonly network: string
  readonly approval: string
  readonly expires_at: number | null
}

export type ClientFields = {
  readonly name: string
  readonly token_hash: string
  readonly keys: readonly string[]
  readonly rights: readonly string[]
  readonly allow_type_b: boolean
}

export type Act =
  | { readonly act: "started"; readonly policy_hash: string }
  | { readonly act: "key_added"; readonly key: KeyFields }
  | { readonly act: "key_exported"; readonly name: string }
  | { readonly act: "client_added"; readonly client: ClientFields }
  | {
      readonly act: "agent_approved"
      readonly name: string
      readonly expires_at: number
      readonly record: string
    }
  | { readonly act: "agent_revoked"; readonly name: string; readonly record: string }

export type ActRow = Row<"act", Act>

export type JournalRow = RequestRow | RefusalRow | RepeatsRow | OmittedRow | OutcomeRow | ActRow

/**
 * Writes a row as RFC 8785 (JSON Canonicalization Scheme) does: compact, keys sorted at every depth,
 * strings and numbers as `JSON.stringify` writes them. Keys must not look like array indexes.
 */
export function canonicalRow(row: JournalRow & { readonly seq: number }): string {
  return JSON.stringify(row, (_key, value: unknown) => sortKeys(value))
}

function sortKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
