import type { Stats } from "node:fs"
import { lstat, readdir, stat } from "node:fs/promises"
import { join } from "node:path"

import type { Warning } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import { assertPrivate } from "../../std/private-file.ts"
import { shellWord } from "../../std/visible.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { fixHere, locationWords } from "../installation/usual-installation.ts"
import { venueWarnings } from "../policy/file-warnings.ts"
import { fail, failureOf, ok, warn, type Finding } from "./finding.ts"

export type Files =
  | { readonly kind: "valid"; readonly files: FileSet }
  | { readonly kind: "broken"; readonly error: unknown }

/** Whether countersign.yaml, venue.yaml and the policies can be used; a finding for every mistake in them. */
export function fileFindings(files: Files, installation: Installation): readonly Finding[] {
  if (files.kind === "broken") return brokenFindings(files.error, installation)
  const { policies, profile } = files.files
  const valid = ok("files", `All files in ${installation.configDir} are valid.`)
  const found = [valid, ...warningFindings(venueWarnings(profile), installation)]
  if (policies.some(({ rules }) => rules.length > 0)) return found
  const { policiesDir } = pathsOf(installation)
  const write = `write a rule into a file in ${shellWord(policiesDir)}, then run: countersign policy check ${locationWords(installation)}`
  return [...found, warn("policy", "No policy has a rule, so nothing is allowed.", write)]
}

/** What somebody should know of policies and keys though it is allowed. */
export function warningFindings(
  warnings: readonly Warning[],
  installation: Installation,
): readonly Finding[] {
  return warnings.map(({ message, fix }) => warn("policy", message, fixHere(fix, installation)))
}

function brokenFindings(error: unknown, installation: Installation): readonly Finding[] {
  const where = locationWords(installation)
  if (!(error instanceof Fault) || !["not_initialised", "config_invalid"].includes(error.code)) {
    return [failureOf("files", error, `countersign policy check ${where}`)]
  }
  if (error.code === "not_initialised") {
    return [fail("files", error.message, `countersign init ${where}`)]
  }
  const fix = `edit it, then run: countersign policy check ${where}`
  return error.message.split("\n").map((line) => fail("files", line, fix))
}

/**
 * Who may do what with a path. `trusted`: others may read it and change nothing. `private`: it is its
 * owner's alone. `own`: it should be, though reading it gives no secret away. `socket`: a group may use it.
 */
type Keeping = "trusted" | "private" | "own" | "socket"

export type Entry = {
  readonly path: string
  readonly keeping: Keeping
  readonly kind: "file" | "directory" | "socket" | "symlink" | "other"
  readonly uid: number
  readonly gid: number
  readonly mode: number
  readonly writtenMs: number
}

/** Who looks, and where: as a path, and as the installation is named on a command line. */
type Looking = { readonly uid: number; readonly stateDir: string; readonly where: string }

/**
 * Whether everything belongs to the user `uid` or root, is no symlink, and is closed to others. Where the state
 * directory is another user's, so is the installation: to change owners would break it, so its owner is asked.
 */
export function permissionFindings(
  entries: readonly Entry[],
  { uid, stateDir, where }: Looking,
): readonly Finding[] {
  const owner = entries.find(({ path }) => path === stateDir)?.uid ?? uid
  if (owner !== uid && owner !== 0) {
    const message = `${stateDir} belongs to another user (${owner}); this is user ${uid}.`
    return [fail("permissions", message, asOwnerOf(stateDir, where))]
  }
  const wrong = entries.flatMap((entry) => findingsOf(entry, uid))
  if (wrong.length > 0) return wrong
  const said = `${entries.length} files and directories are this user's or root's, and closed to others.`
  return [ok("permissions", said)]
}

/** What this user can't even look at; `where` names the installation on a command line. */
export function unreadableFindings(paths: readonly string[], where: string): readonly Finding[] {
  return paths.map((path) => {
    const message = `${path} can't be looked at by this user.`
    return fail("permissions", message, asOwnerOf(path, where))
  })
}

function asOwnerOf(path: string, where: string): string {
  return `as its owner: sudo -u "$(stat -c %U ${shellWord(path)})" countersign doctor ${where}`
}

function findingsOf(entry: Entry, uid: number): readonly Finding[] {
  const { path, kind, keeping } = entry
  if (kind === "symlink") {
    const word = shellWord(path)
    const message = `${path} is a symlink, which isn't followed; have the file itself there.`
    return [
      fail("permissions", message, `cp --remove-destination "$(readlink -f ${word})" ${word}`),
    ]
  }
  return keeping === "private"
    ? privateFindings(entry, uid)
    : [...ownerFindings(entry, uid), ...modeFindings(entry)]
}

/** By the very rule that the daemon reads secrets by. */
function privateFindings(entry: Entry, uid: number): readonly Finding[] {
  try {
    assertPrivate(entry.path, { ...entry, isDirectory: () => entry.kind === "directory" }, uid)
    return []
  } catch (error) {
    return [failureOf("permissions", error, `ls -l ${shellWord(entry.path)}`)]
  }
}

function ownerFindings({ path, uid: owner }: Entry, uid: number): readonly Finding[] {
  if (owner === uid || owner === 0) return []
  const message = `${path} belongs to another user (${owner}), who can change it; this is user ${uid}.`
  return [fail("permissions", message, `chown ${uid} ${shellWord(path)}`)]
}

function modeFindings({ path, keeping, kind, mode }: Entry): readonly Finding[] {
  const word = shellWord(path)
  const shown = (mode & 0o777).toString(8).padStart(4, "0")
  if (keeping === "socket") {
    if ((mode & 0o007) === 0) return []
    const message = `${path} can be used by every user of this machine (mode ${shown}).`
    return [fail("permissions", message, `chmod o-rwx ${word}`)]
  }
  if ((mode & 0o022) !== 0) {
    const message = `${path} can be changed by others (mode ${shown}).`
    return [fail("permissions", message, `chmod go-w ${word}`)]
  }
  if (keeping === "trusted" || (mode & 0o077) === 0) return []
  const message = `${path} can be looked at by others (mode ${shown}).`
  return [warn("permissions", message, `chmod ${kind === "directory" ? "700" : "600"} ${word}`)]
}

export type Entries = {
  readonly entries: readonly Entry[]
  /** What this user can't look at. */
  readonly unreadable: readonly string[]
}

/**
 * Every file and directory of an installation, and the file that opens its keystore. What isn't there is
 * left out: other checks miss it.
 */
export async function listEntries(
  installation: Installation,
  secretFile: string | undefined,
): Promise<Entries> {
  const { configDir, stateDir } = installation
  const paths = pathsOf(installation)
  const ledger = ["", "-wal", "-shm", "-journal"].map((suffix) => `${paths.ledgerFile}${suffix}`)
  const looks = await Promise.all([
    look(stateDir, "own", stat),
    look(configDir, "trusted", stat),
    look(paths.policiesDir, "trusted", stat),
    ...[paths.configFile, paths.venueFile].map((file) => look(file, "trusted")),
    inside(paths.policiesDir, "trusted"),
    ...[...ledger, paths.adminSecretFile, paths.adminSocket].map((file) => look(file, "private")),
    look(paths.botSocket, "socket"),
    ...(secretFile === undefined ? [] : [look(secretFile, "private")]),
    below(paths.keystoreDir, "private"),
    below(paths.keychainDir, "private"),
    inside(stateDir, "own"),
  ])
  return sorted(looks.flat())
}

/** What was found at a path; without an entry, it couldn't be looked at. */
type Found = { readonly path: string; readonly entry: Entry | undefined }

/** What was said of a path first counts: the rest of the state directory comes last. */
function sorted(found: readonly Found[]): Entries {
  const first = new Map(found.toReversed().map((each) => [each.path, each]))
  const all = [...first.values()].toReversed()
  return {
    entries: all.flatMap(({ entry }) => entry ?? []),
    unreadable: all.filter(({ entry }) => entry === undefined).map(({ path }) => path),
  }
}

async function look(
  path: string,
  keeping: Keeping,
  read: (path: string) => Promise<Stats> = lstat,
): Promise<readonly Found[]> {
  return read(path).then(
    (stats) => [{ path, entry: entryOf(path, keeping, stats) }],
    (error: unknown) => nothingAt(path, error),
  )
}

async function below(path: string, keeping: Keeping): Promise<readonly Found[]> {
  const own = await look(path, keeping)
  const isDirectory = own[0]?.entry?.kind === "directory"
  return isDirectory ? [...own, ...(await inside(path, keeping))] : own
}

/** What lies in a directory, at any depth. */
async function inside(directory: string, keeping: Keeping): Promise<readonly Found[]> {
  try {
    const names = await readdir(directory)
    const found = await Promise.all(names.map((name) => below(join(directory, name), keeping)))
    return found.flat()
  } catch (error) {
    return nothingAt(directory, error)
  }
}

function nothingAt(path: string, error: unknown): readonly Found[] {
  const { code } = error as NodeJS.ErrnoException // fs throws ErrnoExceptions
  return code === "ENOENT" || code === "ENOTDIR" ? [] : [{ path, entry: undefined }]
}

function entryOf(path: string, keeping: Keeping, stats: Stats): Entry {
  const { uid, gid, mode, mtimeMs } = stats
  return { path, keeping, kind: kindOf(stats), uid, gid, mode, writtenMs: mtimeMs }
}

function kindOf(stats: Stats): Entry["kind"] {
  if (stats.isFile()) return "file"
  if (stats.isDirectory()) return "directory"
  if (stats.isSocket()) return "socket"
  return stats.isSymbolicLink() ? "symlink" : "other"
}
