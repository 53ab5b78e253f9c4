import type { Refusal } from "../../../contract/refusal.ts"
import type { LedgerTime } from "../../process/clock.ts"
import { makeRecordId, type RecordId } from "./record-id.ts"
import type { Act, RefusalRow, RequestRow } from "./row.ts"

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

/** The entry of a policy that said no, `policy/rule` or `policy/limit`; `null` where none did. */
export function whoRefused({ code, data }: Refusal): string | null {
  if (code === "limit_exhausted") return `${data.policy}/${data.limit}`
  if (code !== "policy_denied" || data.policy === null) return null
  return data.rule === null ? data.policy : `${data.policy}/${data.rule}`
}

/** Hears what goes through a ledger. Nothing waits for it, and it throws nothing. */
export type LedgerWatcher = {
  /** The record of a request is durable, so it is signed. */
  reserved?(entry: RequestEntry, record: RecordId): void
  /** Another host recorded a request. */
  followed?(row: RequestRow): void
  /** A request was refused; `record` is `null` where that was only counted. */
  noted?(entry: RefusalEntry, record: RecordId | null): void
  /** The signer of this key couldn't have a nonce for its pace. */
  paced?(key: string): void
  /** A request wasn't recorded for the clock. */
  clockUnsafe?(): void
}

/** The row of an act. */
export function actRow<const Said extends Act>(act: Said, nowMs: LedgerTime) {
  return { kind: "act" as const, id: makeRecordId(nowMs), at_ms: nowMs, ...act }
}
