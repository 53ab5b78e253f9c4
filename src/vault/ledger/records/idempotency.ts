import type { KeptAnswer } from "../../../link/calls/both-ways.ts"
import type { RecordId } from "./record-id.ts"
import type { RecordState } from "./record-state.ts"

/** What a client's keys are: the header `Idempotency-Key`, or an order's `client_order_id`. */
export type KeySource = "header" | "client_order_id"

/** What a client calls a request by, so that it can ask for the same one again. */
export type IdempotencyKey = {
  readonly client: string
  readonly by: KeySource
  readonly key: string
}

/** A key's name among those of all clients. */
export function nameOf({ client, ...key }: IdempotencyKey): string {
  return JSON.stringify([client, storedKey(key)])
}

/** How long a key is kept for its request at least: no other request of the client can have it. */
export const keptMs = 86_400_000

/** The request that a key was used for, as durable when it was looked up. */
export type EarlierRequest = {
  readonly record: RecordId
  readonly binding: string
  readonly nonce: number
  readonly expiresAfterMs: number
  readonly state: RecordState
  /** The gate said that no byte of it left or the venue processed none, and has not begun to send it again. */
  readonly isUnsent: boolean
  /** The venue's words, where it is that which processed none. */
  readonly putOff: { readonly status: number; readonly code: string } | undefined
  /** It used up a person's release. */
  readonly hadRelease: boolean
  /** The venue's final answer, where it was short enough to be kept. */
  readonly answer: (KeptAnswer & { readonly status: number }) | undefined
}

/** What a key was used for: nothing, a request that it still stands for, or one that it is free of. */
export type KeyUse =
  | { readonly kind: "unused" }
  | { readonly kind: "kept"; readonly request: EarlierRequest }
  | { readonly kind: "ended"; readonly record: RecordId }

/** A key as the ledger's tables hold it: those of the two kinds never meet. */
export function storedKey({ by, key }: Pick<IdempotencyKey, "by" | "key">): string {
  return `${by}:${key}`
}
