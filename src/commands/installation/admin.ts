import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { Installation } from "../../vault/config/installation.ts"
import type { SecretSource } from "../../vault/custody/open-key-store.ts"

/** The admin socket's calls, whether the daemon answers them or this process does. */
export type Admin = {
  readonly daemon: "running" | "stopped"
  call<Method extends keyof AdminParams>(
    method: Method,
    params: AdminParams[Method],
  ): Promise<AdminResults[Method]>
}

export type VaultAccess = {
  readonly installation: Installation
  /** What opens the keystore where no daemon runs, for what needs private keys. */
  readonly secret: SecretSource | "without_keys"
}

export type OpenAdmin = Admin & { close(): Promise<void> }
