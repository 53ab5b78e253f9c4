import { statSync } from "node:fs"

/** As root, takes the identity of the directory's owner before anything is opened, so that no file becomes root's. */
export function becomeOwner(directory: string): void {
  if (process.getuid?.() !== 0) return
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined || owner.uid === 0) return
  process.setgroups?.([])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
}
