import { statSync } from "node:fs"
import { userInfo } from "node:os"

import { caller } from "./caller.ts"

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
