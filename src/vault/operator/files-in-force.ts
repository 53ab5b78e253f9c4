import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import type { Warning } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { boundSet, type Acts, type FilesInForce, type putInForce } from "../active/active-set.ts"
import type { watchFilesOnDisk } from "../active/files-on-disk.ts"
import { type FileSet, type FileText, parseFileSet, loadFiles } from "../config/load-files.ts"
import type { Standing } from "../ledger/bindings.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { countAnew } from "../request/recount.ts"
import { warningsOf } from "../status/warnings.ts"
import type { DiskSpace } from "../watch/disk-space.ts"

/** The files in force; those that were before are in the ledger. */
type Files = FilesInForce & { readonly ledger: Pick<Ledger, "lastSet" | "set"> }

/** The admin socket's calls about the files in force and those on disk. */
export function fileMethods(vault: Acts & Files) {
  return {
    filesInForce: () => Promise.resolve(vault.active().texts.flatMap(piecesOf)),
    filesOnDisk: async () => ({ differ: await filesDiffer(vault) }),
    acceptPolicy: (params: AdminParams["acceptPolicy"]) =>
      vault.inTurn(() => acceptPolicy(params, vault)),
    rollback: (params: AdminParams["rollback"]) => vault.inTurn(() => rollback(params, vault)),
  }
}

/** As of now. */
export async function filesDiffer(files: FilesInForce): Promise<Warning | null> {
  await files.lookAtDisk()
  const { message, fix } = files.differ() ?? {}
  return message === undefined || fix === undefined ? null : { message, fix }
}

/** The same under the files on disk, which this doesn't put in force. @throws {Fault} as {@link loadFiles}. */
export async function withFilesOnDisk<Under extends FilesInForce>(inForce: Under): Promise<Under> {
  const set = boundSet(await loadFiles(inForce.installation), inForce.active())
  return { ...inForce, active: () => set }
}

/** Few enough characters for a line of the socket, however they are escaped there. */
const pieceLength = 16_384

function piecesOf({ name, text }: FileText): readonly FileText[] {
  const count = Math.max(1, Math.ceil(text.length / pieceLength))
  return Array.from({ length: count }, (_, index) => ({
    name,
    text: text.slice(index * pieceLength, (index + 1) * pieceLength),
  }))
}

/**
 * Puts the files on disk in force: all of them, or, when anything is wrong with them, none, and the old
 * ones stay. Once it has answered nothing is signed under the old ones. `hash` is that of the files that were looked at.
 *
 * @throws {Fault} `config_invalid` with file, line and column of every problem, `not_accepted`, `usage`
 * when a change needs a restart.
 */
export function reload(inForce: FilesInForce, hash?: string): Promise<AdminResults["reload"]> {
  return inForce.inTurn(() => reloadFiles(inForce, hash))
}

async function reloadFiles(inForce: FilesInForce, hash?: string): Promise<AdminResults["reload"]> {
  const files = await loadFiles(inForce.installation)
  if (hash !== undefined) assertShown(files, hash)
  assertAccepted(files, inForce.active())
  assertReloadable(inForce.active(), files)
  await inForce.adopt(files)
  const warnings = warningsOf(inForce.active(), inForce.now())
  return {
    policy_hash: inForce.active().policyHash,
    warnings: warnings.map(({ message }) => message),
  }
}

/** Makes {@link FilesInForce.adopt}. */
export function adopter({
  ledger,
  disk,
  inForce,
  onDisk,
}: {
  readonly ledger: Ledger
  readonly disk: DiskSpace
  readonly inForce: ReturnType<typeof putInForce>
  readonly onDisk: Pick<ReturnType<typeof watchFilesOnDisk>, "keep">
}): FilesInForce["adopt"] {
  return async (files, isRolledBack = false) => {
    const nowMs = ledger.now()
    let recorded: Promise<unknown> | undefined
    const next = boundSet(files, inForce.active())
    const current = () => ({ ...next, keys: inForce.active().keys })
    await countAnew(current, ledger, () => {
      // Bindings and prices may have changed while it was counted; what limits count hasn't.
      inForce.exchange(files)
      disk.ask(files.config.minFreeBytes)
      const act = { act: "set_activated", hash: files.policyHash, files: files.texts } as const
      recorded = ledger.act(act, nowMs)
    })
    await recorded
    await onDisk.keep(files, isRolledBack)
  }
}

/**
 * With `attest: required`, files count once a person has accepted them. It is asked of the files in force
 * too, so that a change can't do away with it by itself.
 *
 * @throws {Fault} `not_accepted`.
 */
export function assertAccepted(files: FileSet, active: FileSet & Standing): void {
  if (isAccepted(files, active)) return
  throw new Fault(
    "not_accepted",
    "The files have changed, and a person has to accept them: countersign policy accept shows what is different. The old ones stay in force.",
  )
}

/**
 * At the start, where the files on disk aren't accepted, runs those that are.
 *
 * @throws {Fault} `not_accepted` when none ever were.
 */
export async function runAccepted(kept: Files): Promise<void> {
  const active = kept.active()
  if (isAccepted(active, { ...active, config: await lastConfig(kept) })) return
  const files = await storedFiles(active.acceptedHash, kept)
  if (files === undefined) {
    throw new Fault(
      "not_accepted",
      "attest is required, and nobody has accepted the files yet: countersign policy accept shows them.",
    )
  }
  await kept.adopt(files)
}

/**
 * Accepts the files on disk, if they are still those that were shown, and puts them in force.
 *
 * @throws {Fault} `usage` when they have changed since, or need a restart.
 */
export async function acceptPolicy(
  { hash }: AdminParams["acceptPolicy"],
  inForce: Acts & FilesInForce,
): Promise<AdminResults["acceptPolicy"]> {
  const files = await loadFiles(inForce.installation)
  assertShown(files, hash)
  assertReloadable(inForce.active(), files)
  await inForce.act({ act: "set_accepted", hash })
  await inForce.adopt(files)
  return { policy_hash: inForce.active().policyHash }
}

/** Refuses other files than those that a person looked at. @throws {Fault} `usage` */
export function assertShown(files: Pick<FileSet, "policyHash">, hash: string): void {
  if (files.policyHash === hash) return
  throw new Fault("usage", "The files have changed since they were shown; look at them again.")
}

/**
 * `countersign policy rollback`: puts an earlier set in force, by its hash. The
 * files on disk stay as they are: a reload takes them, and no start does.
 *
 * @throws {Fault} `name_unknown`, `config_invalid`, `usage`.
 */
export async function rollback(
  { hash }: AdminParams["rollback"],
  kept: Acts & Files,
): Promise<AdminResults["rollback"]> {
  const files = await storedFiles(hash, kept)
  if (files === undefined) throw nothingToGoBackTo()
  assertReloadable(kept.active(), files)
  if (kept.active().config.attestRequired) await kept.act({ act: "set_accepted", hash })
  await kept.adopt(files, true)
  return { policy_hash: hash }
}

function nothingToGoBackTo(): Fault {
  return new Fault("name_unknown", "There is no such set of files to go back to.")
}

function isAccepted(files: FileSet, active: FileSet & Standing): boolean {
  const isRequired = files.config.attestRequired || active.config.attestRequired
  return !isRequired || files.policyHash === active.acceptedHash
}

/** The settings that were in force last: whoever changes countersign.yaml can't lift what they asked for. */
async function lastConfig(kept: Files): Promise<FileSet["config"]> {
  const files = await storedFiles(kept.ledger.lastSet?.hash, kept)
  return (files ?? kept.active()).config
}

async function storedFiles(
  hash: string | undefined,
  { ledger, active }: Files,
): Promise<FileSet | undefined> {
  if (hash === active().policyHash) return active()
  const stored = hash === undefined ? undefined : await ledger.set(hash)
  const read = stored === undefined ? undefined : parseFileSet(stored.files)
  return read?.ok === true ? read.value : undefined
}

/** Refuses files that change settings which take effect only at a start. @throws {Fault} `usage`. */
export function assertReloadable(active: FileSet, next: FileSet): void {
  const settings = [
    { name: "listen", of: ({ config }: FileSet) => config.listen },
    { name: "allowed_hosts", of: ({ config }: FileSet) => config.allowedHosts },
    { name: "keystore", of: ({ config }: FileSet) => config.keystore },
    { name: "signer_dir", of: ({ config }: FileSet) => config.signerDir },
    { name: "base_url", of: ({ profile }: FileSet) => profile.baseUrl },
    { name: "upstream", of: ({ config }: FileSet) => config.upstream },
    { name: "account", of: ({ profile }: FileSet) => ({ ...profile.accountPoll, weight: 0 }) },
    { name: "keep_warm", of: ({ config }: FileSet) => config.keepWarmMs },
    { name: "reload_on_change", of: ({ config }: FileSet) => config.reloadOnChange },
  ]
  const changed = settings.find(({ of }) => JSON.stringify(of(active)) !== JSON.stringify(of(next)))
  if (changed === undefined) return
  throw new Fault(
    "usage",
    `${changed.name} can't change while the daemon runs; restart it, or put the old value back. The old files stay in force.`,
  )
}
