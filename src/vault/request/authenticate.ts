import { hash, randomBytes } from "node:crypto"

import type { Refusal } from "../../link/views/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { ActiveSet, SetInForce } from "../active/active-set.ts"
import type { Client, ClientRight } from "../ledger/records/bindings.ts"
import { type BadTokenCount, refuseToken } from "../watch/bad-tokens.ts"

/**
 * Finds the client whose token this is. A right token is served however many wrong ones came before.
 *
 * Tokens are 256 random bits, looked up by hash: how long the look-up takes tells nothing of a token.
 */
export function authenticate(
  token: string,
  set: ActiveSet,
  badTokens: { readonly count: BadTokenCount; readonly nowMs: number },
): Result<Client, Refusal> {
  const client = set.clientByTokenHash.get(hashToken(token))
  return client === undefined ? err(refuseToken(badTokens.count, badTokens.nowMs)) : ok(client)
}

/** SHA-256 of a token, as it is kept. */
export function hashToken(token: string): string {
  return `0x${hash("sha256", token)}`
}

/** A new token: `cs_` and 256 random bits in base64url. */
export function makeToken(): string {
  return `cs_${randomBytes(32).toString("base64url")}`
}

/** What tells a client by its token. */
export type TokenContext = SetInForce & { readonly badTokens: BadTokenCount }

/** The client whose token this is now. */
export function identify(token: string, vault: TokenContext): Result<Client, Refusal> {
  const nowMs = vault.now()
  return authenticate(token, vault.active(), { count: vault.badTokens, nowMs })
}

/** As {@link identify}, of a client that was added with a right. */
export function clientWithRight(
  token: string,
  right: ClientRight,
  vault: TokenContext,
): Result<Client, Refusal> {
  const client = identify(token, vault)
  if (!client.ok || client.value.rights.includes(right)) return client
  return err({
    code: "right_missing",
    message: `The client ${client.value.name} was added without --right ${right}.`,
    data: { right },
  })
}
