import { toHex } from "../../std/bytes.ts"
import { hashText, type ActiveSet } from "../active/active-set.ts"
import type { Vault } from "../core/vault.ts"
import type { Client } from "../ledger/records/bindings.ts"
import type { IdempotencyKey } from "../ledger/records/idempotency.ts"
import { hashToken } from "./authenticate.ts"
import { canonicalBody, digestOf } from "./fill-in.ts"
import { readRequest, type ReadRequest, type SignCall } from "./read-request.ts"

/**
 * The key that has to be looked up for a call before anything is decided. By the time that is done other
 * files may be in force, so this is for the look-up alone.
 */
export function keyToLookUp(call: SignCall, vault: Vault): IdempotencyKey | undefined {
  const set = vault.active()
  const client = set.clientByTokenHash.get(hashToken(call.token))
  if (client === undefined) return undefined
  if (call.idempotencyKey !== undefined) return headerKey(client.name, call.idempotencyKey)
  if (client.idempotencyBy === "header") return undefined
  const read = readRequest(call, client, set)
  return read.ok ? keyOf(call, client, read.value) : undefined
}

/** The header `Idempotency-Key`; without it, for a client that was added so, an order's `client_order_id`. */
export function keyOf(
  call: SignCall,
  { name, idempotencyBy }: Client,
  request: ReadRequest,
): IdempotencyKey | undefined {
  if (call.idempotencyKey !== undefined) return headerKey(name, call.idempotencyKey)
  if (idempotencyBy === "header" || request.endpoint.id !== "placeOrder") return undefined
  const key = clientOrderIdOf(request)
  return key === undefined ? undefined : { client: name, by: "client_order_id", key }
}

/** The `client_order_id` of a request that makes a single order. */
export function clientOrderIdOf({ payload }: ReadRequest): string | undefined {
  if (payload.kind !== "orders" || payload.form !== "single") return undefined
  return payload.orders[0]?.clientOrderId
}

/**
 * All that a key stands for, as a hash: who asks for what, and what the signature is made from. The digest
 * for nonce and expiry 0 holds the latter: type, tag or struct, layout, domain.
 */
export function bindingHash(
  request: ReadRequest,
  {
    client,
    call,
    set,
  }: { readonly client: Client; readonly call: SignCall; readonly set: ActiveSet },
): string {
  const { profile } = set
  const { sort, escape, nulls } = profile.canonicalForm
  const digest = digestOf(request, { validity: { nonce: 0, expiresAfterMs: 0 }, profile })
  return hashText(
    JSON.stringify([
      ...[client.name, "POST", call.purpose, request.endpoint.path],
      ...[request.key.name, request.parties.signer, request.parties.target ?? null],
      ...[canonicalBody(request, profile), sort, escape, nulls, toHex(digest)],
    ]),
  )
}

function headerKey(client: string, key: string): IdempotencyKey {
  return { client, by: "header", key }
}
