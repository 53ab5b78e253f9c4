import { stat } from "node:fs/promises"

import { pathsOf, type Installation } from "../config/installation.ts"
import { makeSpare, spareBytes, spareBytesFor } from "../ledger/sqlite/spare-space.ts"
import { logFailure, type LogEntry, log } from "../process/log.ts"
import { diskLow, type DiskSpace } from "../watch/disk-space.ts"
import type { StatusSources } from "./sources.ts"

const everyMs = 2_000

/** Looks at the disk for as long as the process runs, says in the log what changed, and keeps the ledger's spare. */
export function watchDisk(sources: StatusSources): void {
  const { ledgerFile } = pathsOf(sources.installation)
  const look = diskWatch({
    disk: sources.disk,
    minFreeBytes: () => sources.active().config.minFreeBytes,
    spare: {
      bytes: () => spareBytes(ledgerFile),
      make: (bytes) => makeSpare(ledgerFile, bytes),
    },
    log,
  })
  let isAtWork = false
  const lookInTurn = (): void => {
    if (isAtWork) return
    isAtWork = true
    look()
      .catch((error: unknown) => logFailure("disk_not_watched", error))
      .finally(() => (isAtWork = false))
  }
  lookInTurn()
  setInterval(lookInTurn, everyMs).unref()
  // The spare may have been given up and used up since the last look.
  void sources.ledger.broken.then(lookInTurn)
}

export type Watched = {
  readonly disk: DiskSpace
  readonly minFreeBytes: () => number
  /** Of the ledger: how large it is now, and how it is made anew. */
  readonly spare: { bytes(): Promise<number>; make(bytes: number): Promise<void> }
  readonly log: (entry: LogEntry) => void
}

/** One look: what changed since the last one is said once. */
export function diskWatch(watched: Watched): () => Promise<void> {
  const { disk } = watched
  const sayLow = lowTeller(watched)
  const keepSpare = spareKeeper(watched)
  return async () => {
    await disk.look()
    sayLow()
    await keepSpare()
  }
}

function lowTeller({ disk, log }: Watched): () => void {
  let wasLow = false
  return () => {
    const low = disk.low
    if ((low !== undefined) === wasLow) return
    wasLow = low !== undefined
    if (low !== undefined) {
      log({ level: "error", event: "disk_low", message: diskLow(low).message })
      return
    }
    const leftOut = disk.takeLeftOut()
    const message = `There is room on the ledger's disk again; ${leftOut} refusals weren't recorded meanwhile.`
    log({ level: "info", event: "disk_ok", message })
  }
}

function spareKeeper(watched: Watched): () => Promise<void> {
  const { disk, minFreeBytes, spare, log } = watched
  const make = spareMaker(watched)
  let wasGone = false
  return async () => {
    const least = minFreeBytes()
    const wanted = spareBytesFor(least)
    const bytes = await spare.bytes()
    const isGone = bytes === 0 && disk.low !== undefined
    if (isGone && !wasGone) log({ level: "error", event: "spare_gone", message: goneSentence })
    wasGone = isGone
    const hasRoom = wanted === 0 || (disk.freeBytes() ?? 0) >= least + wanted
    if (bytes !== wanted && hasRoom) await make(wanted)
  }
}

/** Says once that it fails; it is tried again at the next look. */
function spareMaker({ spare, log }: Watched): (bytes: number) => Promise<void> {
  let isFailing = false
  return async (bytes) => {
    try {
      await spare.make(bytes)
      isFailing = false
    } catch (error) {
      if (!isFailing) log(notMade(error))
      isFailing = true
    }
  }
}

function notMade(error: unknown): LogEntry {
  const code = (error as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  const message = `The ledger's spare can't be made (${code}), so nothing is put by for a full disk; check the owner and mode of the state directory.`
  return { level: "warn", event: "spare_not_made", message }
}

const goneSentence =
  "The ledger's spare is given up: what is left of its disk is all there is for cancels, reduce-only orders, freezes and operators' acts, and after that nothing is signed. Make room on the disk of the state directory."

/** How large the ledger is, its log included: the most that a copy of it takes. */
export async function ledgerBytes(installation: Installation): Promise<number> {
  const { ledgerFile } = pathsOf(installation)
  const sizes = [ledgerFile, `${ledgerFile}-wal`].map((file) =>
    stat(file).then(
      ({ size }) => size,
      () => 0, // the log is there only while it is needed
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
