import type { Refusal } from "../link/refusal.ts"
import { sizeText } from "../std/size.ts"
import type { DiskSpace, LowDisk } from "./disk-space.ts"

/** What a bot is told whose request would add risk while the disk is nearly full. */
export function diskLow(low: LowDisk): Refusal {
  const { freeBytes, minFreeBytes } = low
  return {
    code: "disk_low",
    message: `${roomText(low)}; only cancels and reduce-only orders are signed until an operator makes room.`,
    data: { free_bytes: freeBytes ?? null, min_free_bytes: minFreeBytes },
  }
}

/** What an operator should know of the disk. */
export function diskWarnings(disk: Pick<DiskSpace, "low">): readonly string[] {
  const low = disk.low()
  return low === undefined ? [] : [lowSentence(low)]
}

/** For operators: what still goes on, and what to do. */
export function lowSentence(low: LowDisk): string {
  return `${roomText(low)}; only cancels, reduce-only orders, freezes and operators' acts are recorded. Make room on the disk of the state directory.`
}

/** Why no copy of the ledger is made now. */
export function copySentence(low: LowDisk): string {
  const needed = sizeText(low.minFreeBytes)
  return `${freeText(low)}, and a copy beside what ledger.min_free asks for needs ${needed}; make room on the disk of the state directory.`
}

function roomText(low: LowDisk): string {
  return `${freeText(low)}, and ledger.min_free asks for ${sizeText(low.minFreeBytes)}`
}

function freeText({ freeBytes }: LowDisk): string {
  return freeBytes === undefined
    ? "How much of the ledger's disk is free can't be told"
    : `${sizeText(freeBytes)} are free on the ledger's disk`
}
