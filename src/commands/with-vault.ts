import { adminParams, type AdminParams, type AdminResults } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import { adminMethods } from "../vault/admin-methods.ts"
import type { Installation } from "../vault/installation.ts"
import { openVault } from "../vault/open-vault.ts"
import { becomeOwner } from "./become-owner.ts"
import { installationOf, type InstallationOptions } from "./command.ts"
import { dialAdmin } from "./dial-admin.ts"
import { passphraseOf } from "./passphrase.ts"

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
  /** Whether the operation needs the private keys; if not, no passphrase is asked for. */
  readonly keys: "needed" | "not_needed"
  readonly passphraseFile?: string | undefined
}

/**
 * Dials the daemon's admin socket, or opens the vault in this process under the same exclusive lock
 * when no daemon runs. One code path, two transports.
 */
export async function withVault<Answer>(
  access: VaultAccess,
  use: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  becomeOwner(access.installation.stateDir)
  const running = await dial(access.installation)
  const admin = running ?? (await openHere(access))
  try {
    return await use({
      daemon: admin.daemon,
      call: async (method, params) => admin.call(method, checked(method, params)),
    })
  } finally {
    await admin.close()
  }
}

/** As {@link withVault}, for what needs no private key: no passphrase is asked for. */
export function withAdmin<Answer>(
  options: InstallationOptions,
  use: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  return withVault({ installation: installationOf(options), keys: "not_needed" }, use)
}

type OpenAdmin = Admin & { close(): Promise<void> }

async function dial(installation: Installation): Promise<OpenAdmin | undefined> {
  const link = await dialAdmin(installation)
  if (link === undefined) return undefined
  return {
    daemon: "running",
    call: (method, params) => link.call(method, params),
    close: () => {
      link.close()
      return Promise.resolve()
    },
  }
}

async function openHere({ installation, keys, passphraseFile }: VaultAccess): Promise<OpenAdmin> {
  const vault = await openVault(
    installation,
    keys === "needed" ? (config) => passphraseOf(config, passphraseFile) : "without_keys",
  )
  if (keys === "needed" && vault.active().config.keystore.backend === "memory") {
    await vault.close()
    throw new Fault(
      "vault_unavailable",
      "This installation keeps its keys in the daemon's memory; start countersign serve, then run this again.",
    )
  }
  const methods = adminMethods(vault)
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

/** Checks what was typed, so that a wrong name is told alike whoever would answer. */
function checked<Method extends keyof AdminParams>(
  method: Method,
  params: AdminParams[Method],
): AdminParams[Method] {
  const parsed = adminParams[method].safeParse(params)
  if (parsed.success) return params
  const { path = [], message = "" } = parsed.error.issues[0] ?? {}
  throw new Fault("usage", `Mend ${path.map(String).join(".")}: ${message}.`)
}
