import { randomFillSync } from "node:crypto"
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"

import { until } from "./process-tree.ts"
import type { SeededRandom } from "./seeded-random.ts"

/** Runs `work` while no thread of a process does anything, and lets it go on after that. */
export async function whileStopped(pid: number, work: () => void): Promise<void> {
  process.kill(pid, "SIGSTOP")
  try {
    await until(() => (isStopped(pid) ? true : undefined), "every thread is stopped")
    work()
  } finally {
    process.kill(pid, "SIGCONT")
  }
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((task) => {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8")
    // proc(5): "tid (name) state …", and the name may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("T")
  })
}

/** Copies a ledger with its log, as they lie. */
export function copyLedger(from: string, to: string): void {
  for (const end of ["", "-wal"]) {
    if (existsSync(from + end)) copyFileSync(from + end, to + end)
  }
}

/**
 * Where the commits in a write-ahead log end since its last reset, in bytes: frames whose header holds the
 * size of the database after a commit, under the log's own salt
 * (https://www.sqlite.org/fileformat2.html#walformat).
 */
export function commitEnds(wal: Buffer): readonly number[] {
  if (wal.length < headerBytes) return []
  const frameBytes = 24 + wal.readUInt32BE(8)
  const salt = wal.subarray(16, 24)
  const ends: number[] = []
  for (let end = headerBytes + frameBytes; end <= wal.length; end += frameBytes) {
    const frame = wal.subarray(end - frameBytes, end)
    if (!frame.subarray(8, 16).equals(salt)) break
    if (frame.readUInt32BE(4) !== 0) ends.push(end)
  }
  return ends
}

/**
 * Whether SQLite may have begun to move the log into the database: from then on the disk has all of the log,
 * so that no loss of power can tear it.
 */
export function mayBeMoved(wal: Buffer): boolean {
  const end = commitEnds(wal).at(-1) ?? 0
  return end >= headerBytes + movedFrames * (24 + wal.readUInt32BE(8))
}

const headerBytes = 32

/** `wal_autocheckpoint` of the ledger. */
const movedFrames = 1_000

/**
 * Leaves of a log what reached the disk before the power was lost: its first `bytes`. Behind them is nothing,
 * or as much as there was and a little more, of zeros or of no sense.
 */
export function tearLog(walFile: string, bytes: number, random: SeededRandom): void {
  const wal = readFileSync(walFile)
  const rest = Buffer.alloc(random.isOneIn(3) ? 0 : wal.length - bytes + random.below(5_000))
  if (random.isOneIn(2)) randomFillSync(rest)
  writeFileSync(walFile, Buffer.concat([wal.subarray(0, bytes), rest]))
}
