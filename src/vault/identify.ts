import type { Refusal } from "../link/refusal.ts"
import { err, type Result } from "../std/result.ts"
import { authenticate } from "./authenticate.ts"
import type { Client, ClientRight } from "./bindings.ts"
import type { Vault } from "./vault.ts"

/** The client whose token this is now. */
export function identify(token: string, vault: Vault): Result<Client, Refusal> {
  const nowMs = vault.clock.nowMs()
  return authenticate(token, vault.active(), { count: vault.badTokens, nowMs })
}

/** As {@link identify}, of a client that was added with a right. */
export function clientWithRight(
  token: string,
  right: ClientRight,
  vault: Vault,
): Result<Client, Refusal> {
  const client = identify(token, vault)
  if (!client.ok || client.value.rights.includes(right)) return client
  return err({
    code: "right_missing",
    message: `The client ${client.value.name} was added without --right ${right}.`,
    data: { right },
  })
}
