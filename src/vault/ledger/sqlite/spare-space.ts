import { randomBytes } from "node:crypto"
import { constants, unlinkSync } from "node:fs"
import { open, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

/** The most that is kept: room for some ten thousand cancels. */
const mostBytes = 32 * 1_048_576

/** How large the spare is for a `min_free`: half of it at most, so that giving it up is no way out of a low disk. */
export function spareBytesFor(minFreeBytes: number): number {
  return Math.min(mostBytes, Math.floor(minFreeBytes / 2))
}

/** A file that only takes room on the ledger's disk, to be given up when nothing else is left. */
export function spareFileOf(ledgerFile: string): string {
  return join(dirname(ledgerFile), "ledger.spare")
}

/** How large the spare is; 0 where there is none. */
export async function spareBytes(ledgerFile: string): Promise<number> {
  return stat(spareFileOf(ledgerFile)).then(
    ({ size }) => size,
    () => 0,
  )
}

/**
 * Makes the spare anew, of this size, or removes it for 0. It is there whole or not at all, and full of random
 * bytes, which no file system stores in less room.
 */
export async function makeSpare(ledgerFile: string, bytes: number): Promise<void> {
  const file = spareFileOf(ledgerFile)
  const unfinished = unfinishedOf(file)
  await rm(unfinished, { force: true })
  if (bytes === 0) return rm(file, { force: true })
  try {
    await writeRandom(unfinished, bytes)
    await rename(unfinished, file)
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Gives the spare's room back to the disk at once, and that of one that was begun. `false` when there was none to give. */
export function giveUpSpare(ledgerFile: string): boolean {
  const file = spareFileOf(ledgerFile)
  return [file, unfinishedOf(file)].map(isUnlinked).some(Boolean)
}

function isUnlinked(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch {
    return false
  }
}

function unfinishedOf(file: string): string {
  return `${file}.new`
}

const chunkBytes = 1_048_576
const someBytes = promisify(randomBytes)

async function writeRandom(file: string, bytes: number): Promise<void> {
  // O_SYNC, since Node's permission model refuses fsync (as of Node 26): blocks are taken when it returns.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_SYNC } = constants
  const handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_SYNC, 0o600)
  try {
    for (let left = bytes; left > 0; left -= chunkBytes) {
      await handle.writeFile(await someBytes(Math.min(left, chunkBytes)))
    }
  } finally {
    await handle.close()
  }
}
