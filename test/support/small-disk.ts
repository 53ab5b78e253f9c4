import { execFileSync } from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { lacking } from "./needs.ts"

export type SmallDisk = {
  /** Takes all that is free, but for so many bytes. */
  fill(leftBytes?: number): void
  /** Gives it back. */
  free(): void
  remount(mode: "ro" | "rw"): void
  unmount(): void
}

/** Options for a test that mounts a small disk: skipped where this user can't. @throws when CI=true. */
export function needsMount(): { readonly skip?: string } {
  const directory = mkdtempSync(join(tmpdir(), "cs-mount-"))
  try {
    mountTmpfs(directory, 1)
    run("umount", directory)
    return {}
  } catch {
    return lacking("needs mount -t tmpfs: run it as root")
  } finally {
    rmdirSync(directory)
  }
}

/** Puts what is in `directory` on a file system of its own, mounted in its place. */
export function mountSmallDisk(directory: string, sizeMiB: number): SmallDisk {
  const aside = mkdtempSync(join(tmpdir(), "cs-aside-"))
  const filler = join(directory, "filler")
  try {
    run("cp", "-a", `${directory}/.`, aside)
    mountTmpfs(directory, sizeMiB)
    run("cp", "-a", `${aside}/.`, directory)
  } finally {
    rmSync(aside, { recursive: true, force: true, maxRetries: 10 })
  }
  return {
    fill: (leftBytes = 0) => fill(filler, leftBytes),
    free: () => rmSync(filler, { force: true }),
    remount: (mode) => run("mount", "-o", `remount,${mode}`, directory),
    unmount: () => run("umount", directory),
  }
}

const pageBytes = 4_096

/** Never takes more than that, not for a moment: whoever writes then finds a full disk. */
function fill(file: string, leftBytes: number): void {
  const descriptor = openSync(file, "w")
  try {
    while (freeBytes(file) > leftBytes) writeSync(descriptor, Buffer.alloc(pageBytes, 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error // fs throws ErrnoExceptions
  } finally {
    closeSync(descriptor)
  }
}

function freeBytes(file: string): number {
  const { bavail, bsize } = statfsSync(file)
  return bavail * bsize
}

function mountTmpfs(directory: string, sizeMiB: number): void {
  run("mount", "-t", "tmpfs", "-o", `size=${sizeMiB}m,mode=0700`, "tmpfs", directory)
}

function run(command: string, ...args: readonly string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "pipe"] })
}
