import { dirname } from "node:path"

import { readLedger, type LedgerReader } from "../../audit/open-ledger.ts"
import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { connectAdminLink, type AdminLink } from "../../contract/client.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile } from "../../std/private-file.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { assertTrustedDirectory } from "../../vault/config/load-files.ts"
import type { SecretSource } from "../../vault/custody/open-key-store.ts"
import { caller } from "./caller.ts"

/** The admin socket's calls, whether the daemon answers them or this process does. */
export type Admin = {
  readonly daemon: "running" | "stopped"
  readonly call: <Method extends keyof AdminParams>(
    method: Method,
    params: AdminParams[Method],
  ) => Promise<AdminResults[Method]>
  /** Reads the ledger once all that was answered by now is in it. */
  readonly readLedger: ReadLedger
}

export type ReadLedger = <Answer>(
  use: (ledger: LedgerReader) => Answer | Promise<Answer>,
) => Promise<Answer>

/** The way to read what the vault that is called writes. */
export function ledgerReading(installation: Installation, call: Admin["call"]): ReadLedger {
  return async (use) => {
    await call("ledgerHead", {})
    return readLedger(pathsOf(installation).ledgerFile, use)
  }
}

export type VaultAccess = {
  readonly installation: Installation
  /** What opens the keystore where no daemon runs, for what needs private keys. */
  readonly secret: SecretSource | "without_keys"
}

export type OpenAdmin = Omit<Admin, "readLedger"> & { close(): Promise<void> }

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

/** Far more than the secret has; bounds what a wrong path can make us read. */
const maxSecretBytes = 1_024

/**
 * The daemon's admin secret, or `undefined` when none ever wrote one here. Where others could exchange it, or
 * the socket beside it, they could be told private keys: nothing is read there.
 *
 * @throws {Fault} `file_unsafe`, `not_initialised` when there is no such directory.
 */
export async function readAdminSecret(file: string): Promise<string | undefined> {
  await assertTrustedDirectory(dirname(file))
  const bytes = await readPrivateFile(file, maxSecretBytes)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

/** For what goes on while a daemon stops and another starts: `undefined` where none answers. */
export async function dialOrNone(installation: Installation): Promise<AdminLink | undefined> {
  try {
    return await dialAdmin(installation)
  } catch (error) {
    if (isLoss(error)) return undefined
    throw error
  }
}

/** Whether an error says that the daemon has gone. One that starts anew has another secret. */
export function isLoss(error: unknown): boolean {
  const codes = ["vault_unavailable", "ledger_unavailable", "admin_refused"]
  return error instanceof Fault && codes.includes(error.code)
}
