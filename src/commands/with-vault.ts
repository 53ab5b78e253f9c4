import { statSync } from "node:fs"

import { connectAdminLink } from "../link/client.ts"
import { adminParams, type AdminParams, type AdminResults } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import { adminMethods } from "../vault/admin-methods.ts"
import { readAdminSecret } from "../vault/admin-secret.ts"
import { pathsOf, type Installation } from "../vault/installation.ts"
import { openVault } from "../vault/open-vault.ts"
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
  const { adminSocket, adminSecretFile } = pathsOf(installation)
  const secret = await readAdminSecret(adminSecretFile)
  if (secret === undefined) return undefined
  const link = connectAdminLink(adminSocket, { secret })
  try {
    await link.call("health", {})
  } catch (error) {
    link.close()
    if (error instanceof Fault && error.code === "vault_unavailable") return undefined
    throw error
  }
  return {
    daemon: "running",
    call: (method, params) => link.call(method, params),
    close: () => Promise.resolve(link.close()),
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

/** As root, takes the owner's identity before anything is opened, so that no file becomes root's. */
function becomeOwner(directory: string): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined || owner.uid === 0) return
  process.setgroups?.([])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}
