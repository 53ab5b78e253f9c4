import { connectAdminLink, type AdminLink } from "../../link/client.ts"
import { Fault } from "../../std/fault.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { caller } from "./caller.ts"
import { readAdminSecret } from "./read-admin-secret.ts"

/**
 * A link to the daemon's admin socket, or `undefined` when no daemon runs here.
 *
 * `by`: who calls, for the record. A daemon that starts has a new secret, and systemd's socket takes connections before: a secret that was
 * exchanged meanwhile is tried once more, so that a freeze isn't refused for coming in the middle of a restart.
 *
 * @throws {Fault} `admin_refused` when the secret is another daemon's.
 */
export async function dialAdmin(
  installation: Installation,
  by = caller(),
): Promise<AdminLink | undefined> {
  const { adminSocket, adminSecretFile } = pathsOf(installation)
  const secret = await readAdminSecret(adminSecretFile)
  if (secret === undefined) return undefined
  try {
    return await dialWith(adminSocket, { secret, by })
  } catch (error) {
    const newer = await readAdminSecret(adminSecretFile)
    const isOld = error instanceof Fault && error.code === "admin_refused" && newer !== secret
    if (isOld && newer !== undefined) return dialWith(adminSocket, { secret: newer, by })
    throw error
  }
}

async function dialWith(
  adminSocket: string,
  hello: { readonly secret: string; readonly by: string },
): Promise<AdminLink | undefined> {
  const link = connectAdminLink(adminSocket, hello)
  try {
    await link.call("health", {})
    return link
  } catch (error) {
    link.close()
    if (error instanceof Fault && error.code === "vault_unavailable") return undefined
    throw error
  }
}
