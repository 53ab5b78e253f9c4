import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { open, rm, statfs } from "node:fs/promises"
import { join } from "node:path"

import { isThere } from "../../std/private-file.ts"
import { sizeText } from "../../std/size.ts"
import { spanWords, utcText } from "../../std/time/time-words.ts"
import { shellWord } from "../../std/visible.ts"
import type { Config } from "../../vault/config/config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { defaultMinFreeBytes } from "../../vault/config/ledger-config.ts"
import { spareBytes } from "../../vault/ledger/sqlite/spare-space.ts"
import { freeBytesOf } from "../../vault/watch/disk-space.ts"
import { locationWords } from "../installation/usual-installation.ts"
import { fail, ok, warn, type Finding } from "./finding.ts"

export type ClockFacts = {
  readonly nowMs: number
  /** When a file of the installation was written last; `undefined` when there is none. */
  readonly newestWriteMs: number | undefined
  /** Whether a time server sets it; `undefined` where nothing here can tell. */
  readonly isSynchronised: boolean | undefined
}

/** This program is younger than that. */
const firstReleaseMs = Date.UTC(2026, 0, 1)
/** Less than this may be the grain of a file system's times. */
const noticeableMs = 2_000

const setClock = "timedatectl set-ntp true"

/** Whether the time can be trusted: nonces and the ends of signatures are made of it. */
export function clockFindings({ nowMs, newestWriteMs, isSynchronised }: ClockFacts) {
  const now = utcText(nowMs)
  if (nowMs < firstReleaseMs) {
    return [fail("clock", `It says ${now}, which is long past; set it.`, setClock)]
  }
  const findings: Finding[] = []
  const aheadMs = (newestWriteMs ?? nowMs) - nowMs
  if (aheadMs > noticeableMs) {
    findings.push(
      warn(
        "clock",
        `It says ${now}, and a file here was written ${spanWords(aheadMs)} after that: it was set back. Signers go on from their last nonce, and slowly, until it has caught up.`,
        setClock,
      ),
    )
  }
  if (isSynchronised === false) {
    findings.push(
      warn("clock", "No time server sets it, so signatures may expire early or late.", setClock),
    )
  }
  if (findings.length > 0) return findings
  const source =
    isSynchronised === true
      ? "and a time server sets it"
      : "and nothing here can tell whether a time server sets it"
  return [ok("clock", `It says ${now}, ${source}.`)]
}

/** How long timedatectl may take. */
const limitMs = 2_000

/** Whether a time server sets this machine's clock; `undefined` where nothing can tell. */
export function isClockSynchronised(): Promise<boolean | undefined> {
  const words = ["show", "--property=NTPSynchronized", "--value"]
  return new Promise((resolve) => {
    execFile("timedatectl", words, { timeout: limitMs }, (error, stdout) => {
      if (error !== null) resolve(undefined)
      else resolve({ yes: true, no: false }[stdout.trim()])
    })
  })
}

type DiskFacts = {
  readonly directory: string
  readonly freeBytes: number
  /** What countersign.yaml asks for. */
  readonly minFreeBytes: number
  /** Whether the ledger has room put by for a full disk. */
  readonly hasSpare: boolean
  /** statfs(2)'s f_type. */
  readonly fileSystem: number
  /** Why a file couldn't be written and synced there; `undefined` when it could. */
  readonly syncError: string | undefined
}

/** Below this somebody should make room in time. */
export const fewFreeBytes = 1024 * 1_048_576

// statfs(2), linux/magic.h
const networkFileSystems = new Map([
  [0x6969, "NFS"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB"],
  [0x01021997, "9P"],
  [0x00c36400, "CephFS"],
  [0x5346414f, "AFS"],
])
const memoryFileSystems = new Map([
  [0x01021994, "tmpfs"],
  [0x858458f6, "ramfs"],
])

/** Whether the ledger's disk takes what is written, keeps it, and has room. */
export function diskFindings(facts: DiskFacts): readonly Finding[] {
  const { directory, syncError } = facts
  const where = shellWord(directory)
  if (syncError !== undefined) {
    const message = `Nothing can be written and synced in ${directory} (${syncError}).`
    return [fail("disk", message, `ls -ld ${where} && df -h ${where} && mount | tail`)]
  }
  const wrong = [...spaceFindings(facts), ...kindFindings(facts)]
  if (wrong.length > 0) return wrong
  return [ok("disk", `fsync works in ${directory}, and ${sizeText(facts.freeBytes)} are free.`)]
}

/** The state directory isn't there at all. */
export function missingFinding(installation: Installation): Finding {
  const { stateDir } = installation
  const isNew = !existsSync(pathsOf(installation).configFile)
  const again = `restore it from a back-up, or begin anew: mkdir -p -m 700 ${shellWord(stateDir)}`
  const fix = isNew ? `countersign init ${locationWords(installation)}` : again
  return fail("disk", `${stateDir} doesn't exist.`, fix)
}

function spaceFindings(facts: DiskFacts): readonly Finding[] {
  const { directory, freeBytes, minFreeBytes } = facts
  if (freeBytes >= Math.max(fewFreeBytes, minFreeBytes)) return []
  const say = freeBytes < minFreeBytes ? fail : warn
  const message = `${sizeText(freeBytes)} are free for ${directory}; ${consequence(facts)}.`
  return [say("disk", message, `make room: du -xh ${shellWord(directory)} | sort -h | tail`)]
}

function consequence({ freeBytes, minFreeBytes, hasSpare }: DiskFacts): string {
  if (minFreeBytes === 0) return "when there is no room for a record, nothing is signed"
  const least = sizeText(minFreeBytes)
  if (freeBytes >= minFreeBytes) {
    return `below ${least} only cancels, reduce-only orders, freezes and operators' acts are recorded`
  }
  const then = hasSpare
    ? "once the disk is full, they use up the ledger's spare"
    : "once the disk is full, nothing is signed, since the ledger has no spare"
  return `that is less than ledger.min_free (${least}), so only cancels, reduce-only orders, freezes and operators' acts are recorded; ${then}`
}

function kindFindings({ directory, fileSystem }: DiskFacts): readonly Finding[] {
  const kind = fileSystem >>> 0 // some platforms tell it as a signed number
  const network = networkFileSystems.get(kind)
  const memory = memoryFileSystems.get(kind)
  const move = "move the installation to a local disk, and name it with --state-dir"
  if (network !== undefined) {
    const message = `${directory} is on ${network}, over a network; the ledger's lock and its syncs can't be relied on there.`
    return [fail("disk", message, move)]
  }
  if (memory === undefined) return []
  return [
    warn("disk", `${directory} is on ${memory}, in memory; it is gone after a restart.`, move),
  ]
}

/** Writes, syncs and removes a file in the state directory, and asks how much room there is. `undefined` where it isn't there. */
export async function lookAtDisk(
  installation: Installation,
  config: Config | undefined,
): Promise<DiskFacts | undefined> {
  const directory = installation.stateDir
  if (!isThere(directory)) return undefined
  const stats = await statfs(directory)
  return {
    directory,
    freeBytes: freeBytesOf(stats),
    minFreeBytes: config?.minFreeBytes ?? defaultMinFreeBytes,
    hasSpare: (await spareBytes(pathsOf(installation).ledgerFile)) > 0,
    fileSystem: stats.type,
    syncError: await trySync(join(directory, `.doctor-${randomBytes(8).toString("hex")}`)),
  }
}

async function trySync(file: string): Promise<string | undefined> {
  try {
    const handle = await open(file, "wx", 0o600)
    try {
      await handle.write("countersign doctor\n")
      await handle.sync()
    } finally {
      await handle.close()
      await rm(file)
    }
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  }
}
