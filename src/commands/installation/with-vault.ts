import { emptyLedger, readLedger, type LedgerReader } from "../../audit/open-ledger.ts"
import { adminParams, type AdminParams, type AdminResults } from "../../link/calls/methods.ts"
import type { AdminLink } from "../../contract/client.ts"
import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import type { JournalHead } from "../../vault/ledger/store/audit-queries.ts"
import {
  dialAdmin,
  dialOrNone,
  ledgerReading,
  type Admin,
  type VaultAccess,
  type OpenAdmin,
} from "./admin.ts"
import { becomeOwner } from "./caller.ts"

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
