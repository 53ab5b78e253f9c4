import { connectAdminLink, type AdminLink } from "../link/client.ts"
import { Fault } from "../std/fault.ts"
import { readAdminSecret } from "../vault/admin-secret.ts"
import { pathsOf, type Installation } from "../vault/installation.ts"

/**
 * A link to the daemon's admin socket, or `undefined` when no daemon runs here.
 *
 * @throws {Fault} `admin_refused` when the secret is another daemon's.
 */
export async function dialAdmin(installation: Installation): Promise<AdminLink | undefined> {
  const { adminSocket, adminSecretFile } = pathsOf(installation)
  const secret = await readAdminSecret(adminSecretFile)
  if (secret === undefined) return undefined
  const link = connectAdminLink(adminSocket, { secret })
  try {
    await link.call("health", {})
    return link
  } catch (error) {
    link.close()
    if (error instanceof Fault && error.code === "vault_unavailable") return undefined
    throw error
  }
}
