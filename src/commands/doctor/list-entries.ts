import type { Stats } from "node:fs"
import { lstat, readdir, stat } from "node:fs/promises"
import { join } from "node:path"

import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import type { Entry, Keeping } from "./permission-findings.ts"

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
