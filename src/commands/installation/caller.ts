import { statSync } from "node:fs"
import { userInfo } from "node:os"

let known: string | undefined

/** Who runs this command, for the record: `ana (uid 1000)`; as found at first, since a command may take another identity later. */
export function caller(): string {
  return (known ??= callerOf(process.env, process.getuid?.()))
}

/** As {@link caller}, of a process with this environment and user. */
export function callerOf(environment: NodeJS.ProcessEnv, uid: number | undefined): string {
  const isSudo = uid === 0 && environment["SUDO_USER"] !== undefined
  const name = isSudo ? personName(environment) : personName({})
  return `${name} (uid ${uid ?? "unknown"}${isSudo ? ", by sudo" : ""})`
}

/** The user behind sudo, else the one who started the process, with nothing in it that a record can't have. */
export function personName(environment: NodeJS.ProcessEnv = process.env): string {
  const name = environment["SUDO_USER"] ?? ownName()
  return name.replace(/[^\w.@-]/g, "_").slice(0, 64) || "unknown"
}

/** A user of a container may have no name. */
function ownName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? ""}`
  }
}

/**
 * Notes who runs this, and as root takes the identity of the directory's owner before anything is opened, so that no file becomes root's, and
 * none of the owner's is refused as another user's.
 */
export function becomeOwner(directory: string): void {
  caller()
  if (process.getuid?.() !== 0) return
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined || owner.uid === 0) return
  process.setgroups?.([])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
  goHome()
}

/** The owner's signers have their marks there, unless countersign.yaml says where. A user of a service may have no name. */
function goHome(): void {
  try {
    process.env["HOME"] = userInfo().homedir
  } catch {
    // Then it has no home either.
  }
}
