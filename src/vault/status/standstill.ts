import type { AdminResults } from "../../link/calls/methods.ts"
import type { Vault } from "../core/vault.ts"

/** What keeps the vault as a whole from signing, or `ready`. */
export function signingState(
  vault: Pick<Vault, "ledger" | "clock" | "state">,
): AdminResults["status"]["state"] {
  return standstillOf(vault)[0]?.state ?? vault.state()
}

/** Why the vault signs nothing, by the ledger's own word. */
export function standstillOf({ ledger, clock }: Pick<Vault, "ledger" | "clock">) {
  return ledger.safety.standstills(clock.nowMs())
}
