import { randomBytes } from "node:crypto"
import { rename, rm, writeFile } from "node:fs/promises"

import {
  adminParams,
  botParams,
  type AdminResults,
  type BotResults,
} from "../link/calls/methods.ts"
import { serveLink, type LinkPlace, type LinkServer } from "../link/server.ts"
import { Fault, type FaultCode } from "../std/fault.ts"
import { adminMethods, notedMethods } from "./admin-methods.ts"
import { botMethods } from "./bot-methods.ts"
import { pathsOf } from "./config/installation.ts"
import { logFailure } from "./process/log.ts"
import type { VaultService } from "./serve/vault-service.ts"
import type { Vault } from "./vault.ts"

/** The socket that systemd opened under `name`, else a new one at `path`. */
export function placeOf(
  descriptors: ReadonlyMap<string, number>,
  name: string,
  path: string,
): LinkPlace {
  const fd = descriptors.get(name)
  return fd === undefined ? { path } : { fd }
}

const flaws: ReadonlySet<FaultCode> = new Set(["internal", "signature_check_failed"])

/** A flaw of ours; of every other fault the caller is told what to do. */
function isFlaw(error: unknown): boolean {
  return !(error instanceof Fault) || flaws.has(error.code)
}

/**
 * Serves a vault's two sockets: those that systemd opened under the names `bot` and `admin`, else new ones
 * at their usual paths.
 *
 * @throws {Fault} as `serveLink` does.
 */
export async function serveSockets(
  vault: Vault,
  service: Pick<VaultService, "reload">,
  descriptors: ReadonlyMap<string, number>,
): Promise<readonly LinkServer[]> {
  const paths = pathsOf(vault.installation)
  const onError = (error: unknown, method: string): void => {
    if (isFlaw(error)) logFailure("call_failed", error, { method })
  }
  // First: whoever hears from the gate that the vault is ready can ask it.
  const admin = await serveLink<typeof adminParams, AdminResults>({
    ...placeOf(descriptors, "admin", paths.adminSocket),
    params: adminParams,
    methods: notedMethods(adminMethods(vault, service.reload), vault, "unknown"),
    secret: await makeAdminSecret(paths.adminSecretFile),
    onError,
  })
  const bots = await serveLink<typeof botParams, BotResults>({
    ...placeOf(descriptors, "bot", paths.botSocket),
    params: botParams,
    methods: botMethods(vault),
    onError,
  })
  return [bots, admin]
}

/** Makes a new admin secret and writes it for the owner alone. It lives as long as the daemon. */
export async function makeAdminSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString("base64url")
  // A name of its own, so that what a crash left is in nobody's way.
  const written = `${file}.${randomBytes(8).toString("hex")}`
  try {
    await writeFile(written, secret, { mode: 0o600, flag: "wx" })
    await rename(written, file)
  } catch (cause) {
    await rm(written, { force: true }).catch(() => undefined)
    throw unwritable(file, cause)
  }
  return secret
}

function unwritable(file: string, cause: unknown): Fault {
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  return new Fault(
    "vault_unavailable",
    `${file} can't be written (${code}); check the disk's free space and its directory's owner.`,
    { cause },
  )
}
