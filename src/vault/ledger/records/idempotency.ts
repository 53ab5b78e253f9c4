/** What a client calls a request by, so that it can ask for the same one again. */
export type IdempotencyKey = {
  readonly client: string
  /** The header `Idempotency-Key`, an order's `client_order_id`, or the header `Countersign-Check`. */
  readonly by: "header" | "client_order_id" | "check"
  readonly key: string
}

/** A key's name among those of all clients. */
export function nameOf({ client, ...key }: IdempotencyKey): string {
  return JSON.stringify([client, storedKey(key)])
}

/** A key as the ledger's tables hold it: those of two kinds never meet. */
export function storedKey({ by, key }: Pick<IdempotencyKey, "by" | "key">): string {
  return `${by}:${key}`
}
