import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { adminMethods, notedMethods } from "../../vault/admin-methods.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { SecretSource } from "../../vault/custody/open-key-store.ts"
import { openVault } from "../../vault/open-vault.ts"
import { caller } from "./usual-installation.ts"

export type VaultAccess = {
  readonly installation: Installation
  /** What opens the keystore where no daemon runs, for what needs private keys. */
  readonly secret: SecretSource | "without_keys"
}

/** The admin socket's calls, whether the daemon answers them or this process does. */
export type OpenAdmin = {
  readonly daemon: "running" | "stopped"
  readonly call: <Method extends keyof AdminParams>(
    method: Method,
    params: AdminParams[Method],
  ) => Promise<AdminResults[Method]>
  close(): Promise<void>
}

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
