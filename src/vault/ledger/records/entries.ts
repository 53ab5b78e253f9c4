import type { Refusal } from "../../../contract/refusal.ts"
import type { Address } from "../../../venue/address.ts"
import type { OperationId } from "../../../venue/profile.ts"
import type { OrderSize } from "../../policy/terms/claim.ts"
import type { RecordId } from "./record-id.ts"
import type { RecordState } from "./record-state.ts"
import type { RefusalRow, RequestRow, ShadowRow } from "./row.ts"

/** A request that policy allowed, as it is recorded before it is signed. */
export type RequestEntry = Pick<
  RequestRow,
  | "client"
  | "key"
  | "operation"
  | "path"
  | "target"
  | "body"
  | "policy_hash"
  | "rule"
  | "purpose"
  | "client_order_id"
  | "traceparent"
  | "idempotency"
>

/** A request that was refused after its client was known. */
export type RefusalEntry = Omit<RefusalRow, "kind" | "id" | "at_ms">

/** The texts of a set of files, and the hash that names it. */
export type StoredSet = {
  readonly hash: string
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** When a set was active the last time. */
export type SetActivation = { readonly hash: string; readonly activatedAtMs: number }

/** A recorded request with all that its claims are made of. */
export type RecordedRequest = {
  readonly record: RecordId
  readonly client: string
  readonly key: string
  readonly operation: OperationId
  readonly path: string
  readonly signer: Address
  readonly target: Address | null
  /** Canonical JSON of the business fields. */
  readonly body: string
  readonly sizes: readonly OrderSize[]
  /** Wall time of the decision. */
  readonly atMs: number
  /** The time that its claims were counted at: wall time, but never going back. */
  readonly countedAtMs: number
  /** When the venue's refusal of its only send gave room back. */
  readonly releasedAtMs: number | undefined
  /** It had an idempotency key; `false` of a shadow, of which that isn't recorded. */
  readonly isKeyed: boolean
}

/** A request that was asked about and isn't signed: `/check` with `Countersign-Shadow`. */
export type ShadowEntry = Omit<ShadowRow, "kind" | "id" | "at_ms">

export type StoredRecord = {
  readonly id: RecordId
  readonly state: RecordState
  readonly client: string
  readonly key: string | null
  readonly operation: OperationId | null
  /** Who signs, or was to sign elsewhere; `null` for a refusal. */
  readonly signer: Address | null
  /** The account it is for, where that isn't the signer. */
  readonly target: Address | null
  readonly body: string | null
  readonly nonce: number | null
  readonly expiresAfterMs: number | null
  readonly decidedAtMs: number
  readonly policyHash: string
  readonly refusal: Refusal | null
  readonly outcome: { readonly status: number | null; readonly code: string | null } | null
  /** `null` also where the key was the `client_order_id`. */
  readonly idempotencyKey: string | null
  readonly clientOrderId: string | null
  /** It has an idempotency key, so the venue's answer is kept. */
  readonly keepsAnswer: boolean
}

/** The entry of a policy that said no, `policy/rule` or `policy/limit`; `null` where none did. */
export function whoRefused({ code, data }: Refusal): string | null {
  if (code === "limit_exhausted") return `${data.policy}/${data.limit}`
  if (code !== "policy_denied" || data.policy === null) return null
  return data.rule === null ? data.policy : `${data.policy}/${data.rule}`
}
