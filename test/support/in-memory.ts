import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { removeAtEnd } from "./canaries-run.ts"

const memory = "/dev/shm"
/** statfs(2) */
const tmpfs = 0x01021994
/** Bytes; several times what a run has there at once. */
const leastRoom = 2 * 1_073_741_824

/**
 * Makes a directory in memory for what tests write, and removes it when this process ends: a ledger waits for the disk at
 * each commit, which would be half of a run's time. `undefined` where there is no such place, or too little room, or
 * no program runs from there, and where `TMPDIR` names another.
 */
export function makeMemory(): string | undefined {
  if (process.env["TMPDIR"] !== undefined || !hasRoom()) return undefined
  const directory = mkdtempSync(join(memory, "cs-"))
  removeAtEnd(directory)
  chmodSync(directory, 0o1777) // as /tmp is
  return runsPrograms(directory) ? directory : undefined
}

function hasRoom(): boolean {
  if (!existsSync(memory)) return false
  const { type, bavail, bsize } = statfsSync(memory)
  return type === tmpfs && Math.min(bavail * bsize, process.availableMemory()) >= leastRoom
}

function runsPrograms(directory: string): boolean {
  const program = join(directory, "program")
  writeFileSync(program, "#!/bin/sh\n", { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
