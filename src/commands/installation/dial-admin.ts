import { connectAdminLink, type AdminLink } from "../../link/client.ts"
import { Fault } from "../../std/fault.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { caller } from "./caller.ts"
import { readAdminSecret } from "./read-admin-secret.ts"

/**
 * A link to the daemon's admin socket, or `undefined` when no daemon runs here.
 *
 * A daemon that starts has a new secret, and systemd's socket takes connections before: a secret that was
 * exchanged meanwhile is tried once more, so that a freeze isn't refused for coming in the middle of a restart.
 *
 * @throws {Fault} `admin_refused` when the secret is another daemon's.
 */
export async function dialAdmin(installation: Installation): Promise<AdminLink | undefined> {
  const { adminSocket, adminSecretFile } = pathsOf(installation)
  const secret = await readAdminSecret(adminSecretFile)
  if (secret === undefined) return undefined
  try {
    return await dialWith(secret, adminSocket)
  } catch (error) {
    const newer = await readAdminSecret(adminSecretFile)
    const isOld = error instanceof Fault && error.code === "admin_refused" && newer !== secret
    if (isOld && newer !== undefined) return dialWith(newer, adminSocket)
    throw error
  }
}

async function dialWith(secret: string, adminSocket: string): Promise<AdminLink | undefined> {
  const link = connectAdminLink(adminSocket, { secret, by: caller() })
  try {
    await link.call("health", {})
    return link
  } catch (error) {
    link.close()
    if (error instanceof Fault && error.code === "vault_unavailable") return undefined
    throw error
  }
}
