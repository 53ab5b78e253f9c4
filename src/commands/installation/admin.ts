import { dirname, basename } from "node:path"

import { readLedger, type LedgerReader, emptyLedger } from "../../audit/open-ledger.ts"
import { connectAdminLink, type AdminLink } from "../../contract/client.ts"
import { adminParams, type AdminParams, type AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile, isThere } from "../../std/private-file.ts"
import { parseConfig, type Config } from "../../vault/config/config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import {
  assertTrustedDirectory,
  invalidFiles,
  readConfigText,
} from "../../vault/config/load-files.ts"
import type { JournalHead } from "../../vault/ledger/store/audit-queries.ts"
import { caller, becomeOwner } from "./usual-installation.ts"
import type { OpenAdmin, VaultAccess } from "./open-here.ts"

/** The admin socket's calls, and what they wrote. */
export type Admin = Omit<OpenAdmin, "close"> & {
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

/** What a link to a daemon can ask, and what that wrote. */
export function adminOver(link: AdminLink, installation: Installation) {
  const call: Admin["call"] = (method, params) => link.call(method, params)
  return { call, readLedger: ledgerReading(installation, call) }
}

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
    const call: Admin["call"] = async (method, params) =>
      admin.call(method, checked(method, params))
    const readLedger = ledgerReading(access.installation, call)
    return await use({ daemon: admin.daemon, call, readLedger })
  } finally {
    await admin.close()
  }
}

/** As {@link withVault}, for what needs no private key: no passphrase is asked for. */
export function withAdmin<Answer>(
  installation: Installation,
  use: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  return withVault({ installation, secret: "without_keys" }, use)
}

async function dial(installation: Installation): Promise<OpenAdmin | undefined> {
  const link = await dialAdmin(installation)
  if (link === undefined) return undefined
  return {
    daemon: "running",
    call: (method, params) => callAndCover(link, method, params),
    close: () => {
      link.close()
      return Promise.resolve()
    },
  }
}

/** More than any line with a secret behind it has besides the secret. */
const coverBytes = 1_024

/**
 * Calls, and has what was read of a secret overwritten: Node reads a process's streams into one buffer, where what came
 * last stays until as much comes again.
 */
async function callAndCover<Method extends keyof AdminParams>(
  link: AdminLink,
  method: Method,
  params: AdminParams[Method],
): Promise<AdminResults[Method]> {
  try {
    return await link.call(method, params)
  } finally {
    const secret = "secret" in params ? params.secret : undefined
    if (secret !== undefined) {
      await link.call("health", { padding: " ".repeat(coverBytes + secret.length) })
    }
  }
}

/** The vault's modules are loaded only here: where a daemon answers, they would be most of a command's time. */
async function openHere(access: VaultAccess): Promise<OpenAdmin> {
  return (await import("./open-here.ts")).openHere(access)
}

/** Checks what was typed, so that a wrong name is told alike whoever would answer. */
function checked<Method extends keyof AdminParams>(
  method: Method,
  params: AdminParams[Method],
): AdminParams[Method] {
  const parsed = adminParams[method].safeParse(params)
  if (parsed.success) return params
  const { path = [], message = "" } = parsed.error.issues[0] ?? {}
  throw new Fault("usage", `Fix ${path.map(String).join(".")}: ${message}.`)
}

/**
 * Reads the ledger, whether a daemon writes it or not; before the first start it is empty. What the daemon has
 * answered anybody by now is there to be read. `head`: as {@link askHead} tells it.
 *
 * @throws {Fault} as `openLedgerReader` does.
 */
export async function withLedger<Answer>(
  installation: Installation,
  use: (ledger: LedgerReader, head: JournalHead | undefined) => Answer | Promise<Answer>,
): Promise<Answer> {
  becomeOwner(installation.stateDir)
  const head = await askHead(installation)
  const { ledgerFile } = pathsOf(installation)
  if (!isThere(ledgerFile)) return use(emptyLedger(), head)
  return readLedger(ledgerFile, (ledger) => use(ledger, head))
}

/** Where the ledger ends by the daemon; `undefined` where none runs, or its ledger failed. */
export async function askHead(installation: Installation): Promise<JournalHead | undefined> {
  const link = await dialOrNone(installation)
  try {
    return await link?.call("ledgerHead", {})
  } catch {
    return undefined
  } finally {
    link?.close()
  }
}

/** Loads countersign.yaml alone. @throws {Fault} `config_invalid`, `not_initialised`, `file_unsafe`. */
export async function loadConfig(installation: Installation): Promise<Config> {
  const { configFile } = pathsOf(installation)
  const read = parseConfig(await readConfigText(configFile), basename(configFile))
  if (read.ok) return read.value
  throw invalidFiles(read.error, installation)
}
