import { randomBytes } from "node:crypto"
import { open, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { isDeepStrictEqual } from "node:util"

import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Acts, FilesInForce } from "../active/active-set.ts"
import { claimSigners } from "../custody/custody.ts"
import type { Installation } from "../config/installation.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { ledgerBytes } from "../status/watch-disk.ts"
import { copySentence, type DiskSpace } from "../watch/disk-space.ts"

/** The ledger, where it lies, and what room there is for a copy. */
type Copied = {
  readonly ledger: Ledger
  readonly installation: Installation
  readonly disk: DiskSpace
}

/** The calls about copies of the ledger and about the clock. */
export function safetyMethods(parts: Copied & Acts & Pick<FilesInForce, "inTurn">) {
  return {
    lookAtClock: () => Promise.resolve(parts.ledger).then(lookAtClock),
    acceptClock: (params: AdminParams["acceptClock"]) => acceptClock(params, parts.ledger, parts),
    lookAtRestore: () => parts.inTurn(() => lookAtRestore(parts.ledger, parts)),
    acceptRestore: (params: AdminParams["acceptRestore"]) =>
      parts.inTurn(() => acceptRestore(params, parts.ledger, parts)),
    copyLedger: ledgerCopier(parts),
    recordBackup: async (head: AdminParams["recordBackup"]) => ({
      record: await parts.act({ act: "backed_up", ...head }),
    }),
  }
}

/** @throws {Fault} `usage` where nothing is doubted. */
function lookAtClock({ clock }: Pick<Ledger, "clock">): AdminResults["lookAtClock"] {
  const why = clock.doubt() ?? clock.warning()
  if (why === undefined) throw new Fault("usage", "The clock isn't doubted; nothing was changed.")
  return { ...clock.wall(), why }
}

/** A clock is slewed by less than this while a person looks at it. */
const maxSlewMs = 1_000

/** @throws {Fault} `usage` where the clock was set since it was shown, or another vault showed it. */
async function acceptClock(
  { offset_ms: shownMs }: AdminParams["acceptClock"],
  { clock }: Ledger,
  acts: Acts,
): Promise<AdminResults["acceptClock"]> {
  const { offset_ms: offsetMs } = lookAtClock({ clock })
  if (Math.abs(offsetMs - shownMs) > maxSlewMs) {
    throw new Fault("usage", "The clock was set since it was shown; look at it again.")
  }
  const nowMs = clock.accept()
  return { record: await acts.act({ act: "clock_accepted" }), now: nowMs }
}

/** @throws {Fault} `usage` where none waits. */
async function lookAtRestore(ledger: Ledger, acts: Acts) {
  await claimSigners(acts.active(), ledger)
  const signers = ledger.marks.waiting()
  if (signers.length > 0) return { signers }
  throw new Fault("usage", "No signer waits: the ledger is the one that its signers know.")
}

/** The act first: a crash before the marks are written leaves them waiting, and this is run again. */
async function acceptRestore(
  { signers: shown }: AdminParams["acceptRestore"],
  ledger: Ledger,
  acts: Acts,
): Promise<AdminResults["acceptRestore"]> {
  const { signers } = await lookAtRestore(ledger, acts)
  if (!isDeepStrictEqual(shown, signers)) {
    throw new Fault("usage", "Other signers wait than were shown; look at them again.")
  }
  const name = randomBytes(16).toString("hex")
  const record = await acts.act({ act: "restore_accepted", ledger: name, signers })
  await ledger.marks.accept(name)
  return { record, signers }
}

const copyPattern = /^backup-[0-9a-f]{16}\.db$/

/** A call is answered within this time, however large the ledger is. */
const answerMs = 4_000

/** Into the state directory, the only place that the vault may write; the command moves it where it belongs. */
function ledgerCopier(copied: Copied) {
  let last: Copy | undefined
  return async ({ file }: AdminParams["copyLedger"]): Promise<AdminResults["copyLedger"]> => {
    const current = file === undefined ? await startCopy(copied, last) : last
    const isOther = file !== undefined && current?.file !== file
    if (current === undefined || isOther) {
      throw new Fault("usage", "This copy isn't being made; run countersign backup again.")
    }
    last = current
    const isDone = await Promise.race([
      current.copied.then(() => true),
      sleep(answerMs, false, { ref: false }),
    ])
    return { file: current.file, is_done: isDone }
  }
}

type Copy = { readonly file: string; readonly copied: Promise<void>; isAtWork: boolean }

async function startCopy(copied: Copied, last: Copy | undefined): Promise<Copy> {
  if (last?.isAtWork === true) {
    throw new Fault("usage", "A backup is being written already; wait until it is done.")
  }
  const { stateDir } = copied.installation
  await removeOldCopies(stateDir)
  await assertRoomForCopy(copied)
  const file = join(stateDir, `backup-${randomBytes(8).toString("hex")}.db`)
  const handle = await open(file, "wx", 0o600).catch((cause: unknown) => {
    throw new Fault("ledger_unavailable", `${file} can't be made; check the disk.`, { cause })
  })
  await handle.close()
  const copy = { file, copied: copied.ledger.copy(file), isAtWork: true }
  copy.copied
    .catch(() => rm(file, { force: true })) // whoever asks for it hears why
    .catch(() => undefined)
    .finally(() => (copy.isAtWork = false))
  return copy
}

/** What is kept free is for cancels. */
async function assertRoomForCopy({ disk, installation }: Copied): Promise<void> {
  await disk.look()
  const low = disk.lowWith(await ledgerBytes(installation))
  if (low === undefined) return
  throw new Fault("ledger_unavailable", copySentence(low))
}

/** Those of commands that were cut off. */
async function removeOldCopies(stateDir: string): Promise<void> {
  const old = (await readdir(stateDir)).filter((name) => copyPattern.test(name))
  for (const name of old) await rm(join(stateDir, name), { force: true })
}
