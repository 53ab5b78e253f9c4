import type { AdminResults } from "../../link/calls/methods.ts"
import type { Vault } from "../core/vault.ts"

/** What keeps the vault as a whole from signing, or `ready`. */
export function signingState(
  vault: Pick<Vault, "ledger" | "state">,
): AdminResults["status"]["state"] {
  return standstillOf(vault)[0]?.state ?? vault.state()
}

/** Why the vault signs nothing, by the ledger's own word. */
export function standstillOf({ ledger }: Pick<Vault, "ledger">) {
  return ledger.safety.standstills()
}
