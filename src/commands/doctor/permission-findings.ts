import { assertPrivate } from "../../std/private-file.ts"
import { shellWord } from "../../std/visible.ts"
import { fail, failureOf, ok, warn, type Finding } from "./finding.ts"

/**
 * Who may do what with a path. `trusted`: others may read it and change nothing. `private`: it is its
 * owner's alone. `own`: it should be, though reading it gives no secret away. `socket`: a group may use it.
 */
export type Keeping = "trusted" | "private" | "own" | "socket"

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
export type Looking = { readonly uid: number; readonly stateDir: string; readonly where: string }

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
