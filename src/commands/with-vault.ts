import { adminParams, type AdminParams, type AdminResults } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import { adminMethods } from "../vault/admin-methods.ts"
import type { Installation } from "../vault/installation.ts"
import { openVault } from "../vault/open-vault.ts"
import { becomeOwner } from "./become-owner.ts"
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
    return await use(admin)
  } finally {
    await admin.close()
  }
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
  const methods = adminMethods(vault)
  return {
    daemon: "stopped",
    call: async (method, params) => {
      const parsed = adminParams[method].safeParse(params)
      if (!parsed.success)
        throw new Fault("usage", parsed.error.issues[0]?.message ?? "invalid arguments")
      // The table pairs each method with its own parameters; TypeScript can't follow that through a union.
      const run = methods[method] as (params: unknown) => Promise<AdminResults[typeof method]>
      return run(parsed.data)
    },
    close: () => vault.close(),
  }
}
