import type { StatsFs } from "node:fs"
import { statfs } from "node:fs/promises"

import type { Stop } from "../../contract/refusal.ts"
import { sizeText } from "../../std/size.ts"

/** The disk has less room than `ledger.min_free` asks for, or nobody can tell how much it has. */
type LowDisk = { readonly freeBytes: number | undefined; readonly minFreeBytes: number }

/** How much room the ledger's disk has, as it was seen last: a request asks for a number that is kept. */
export type DiskSpace = {
  /** Looks anew. Doesn't throw: a disk that can't be looked at has no room. */
  look(): Promise<void>
  /** `undefined` while there is room, and with `min_free: 0` always. Low until the first look is over. */
  readonly low: LowDisk | undefined
  /** From now on so much is asked for. */
  ask(minFreeBytes: number): void
  /** How a file of so many bytes would make it low; `undefined` where it wouldn't. */
  lowWith(bytes: number): LowDisk | undefined
  /** `undefined` where it can't be told. */
  freeBytes(): number | undefined
  /** Counts a refusal that isn't recorded for want of room. */
  leaveOut(): void
  /** How many that were since this was asked last. */
  takeLeftOut(): number
}

/** Keeps what `measure` tells beside the bytes that the configuration asks for. */
export function openDiskSpace(measure: () => Promise<number>, minFreeBytes: number): DiskSpace {
  let freeBytes: number | undefined
  let asked = minFreeBytes
  let leftOut = 0
  const below = (leastBytes: number): LowDisk | undefined =>
    leastBytes === 0 || (freeBytes !== undefined && freeBytes >= leastBytes)
      ? undefined
      : { freeBytes, minFreeBytes: leastBytes }
  const disk = {
    low: below(asked),
    async look() {
      freeBytes = await measure().catch(() => undefined)
      disk.low = below(asked)
    },
    ask(bytes: number) {
      asked = bytes
      disk.low = below(asked)
    },
    lowWith: (bytes: number) => below(asked + bytes),
    freeBytes: () => freeBytes,
    leaveOut: () => void (leftOut += 1),
    takeLeftOut() {
      const taken = leftOut
      leftOut = 0
      return taken
    },
  }
  return disk
}

/** What a program that isn't root's can still take of the file system that `path` is on. @throws where it doesn't tell. */
export async function freeBytesAt(path: string): Promise<number> {
  const stats = await statfs(path)
  if (stats.blocks === 0) throw new Error("The file system doesn't tell its size.")
  return freeBytesOf(stats)
}

/** Blocks are counted in fragments, statvfs(3), whose size Node tells from 26 on; on most file systems it is the block's. */
export function freeBytesOf(
  stats: Pick<StatsFs, "bavail" | "bsize"> & Partial<Pick<StatsFs, "frsize">>,
): number {
  return stats.bavail * (stats.frsize ?? stats.bsize)
}

export const makeRoom = "make room on the disk of the state directory"

/** While the disk is nearly full nothing is signed that adds risk. */
export function diskLow(low: LowDisk): Stop {
  const { freeBytes, minFreeBytes } = low
  const least = sizeText(minFreeBytes)
  return {
    code: "disk_low",
    message: `${freeText(low)}, and ledger.min_free asks for ${least}; only cancels, reduce-only orders, freezes and operators' acts are recorded until an operator makes room.`,
    data: {
      ...{ signs: "reduce_only", fix: makeRoom },
      ...{ free_bytes: freeBytes ?? null, min_free_bytes: minFreeBytes },
    },
  }
}

/** How much is free, without a full stop. */
export function freeText({ freeBytes }: LowDisk): string {
  return freeBytes === undefined
    ? "How much of the ledger's disk is free can't be told"
    : `${sizeText(freeBytes)} are free on the ledger's disk`
}
