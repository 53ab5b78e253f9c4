import type { AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { adminMethods, notedMethods } from "../../vault/admin-methods.ts"
import { openVault } from "../../vault/open-vault.ts"
import { caller } from "./caller.ts"
import type { OpenAdmin, VaultAccess } from "./admin.ts"

/** Opens the vault in this process, under its exclusive lock. @throws {Fault} `vault_unavailable` where keys are needed that only a daemon has. */
export async function openHere({ installation, secret }: VaultAccess): Promise<OpenAdmin> {
  const vault = await openVault(installation, secret)
  if (secret !== "without_keys" && vault.active().config.keystore.backend === "memory") {
    await vault.close()
    throw new Fault(
      "vault_unavailable",
      "This installation keeps its keys in the daemon's memory; start countersign serve, then run this again.",
    )
  }
  const methods = notedMethods(adminMethods(vault), vault, caller())
  return {
    daemon: "stopped",
    call: (method, params) => {
      // The table pairs each method with its own parameters; TypeScript can't follow that through a union.
      const run = methods[method] as (params: unknown) => Promise<AdminResults[typeof method]>
      return run(params)
    },
    close: () => vault.close(),
  }
}
