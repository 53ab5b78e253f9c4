// What a start takes up again. It is this host's own, so it isn't the ledger's, which several hosts may share; and it can be
// read before the ledger is opened, whose place is in these files.

import { constants } from "node:fs"
import { readFile, unlink, writeFile } from "node:fs/promises"

import * as z from "zod"

import { Fault, type FaultCode } from "../../std/fault.ts"
import { codeOf, replaceFile } from "../../std/private-file.ts"
import { systemClock } from "../process/clock.ts"
import {
  type FileSet,
  type FileText,
  hashTexts,
  loadFiles,
  loadTexts,
  parseFileSet,
  parseTexts,
} from "./load-files.ts"
import { pathsOf, type Installation } from "./installation.ts"

/** The set that was in force last. */
export type KeptSet = {
  readonly policyHash: string
  readonly texts: readonly FileText[]
  /** A person went back to it: other files are put in force by a reload alone. */
  readonly isRolledBack: boolean
}

const written = z.strictObject({
  policy_hash: z.string(),
  rolled_back: z.boolean(),
  files: z.array(z.strictObject({ name: z.string(), text: z.string() })),
})

/** `undefined` where none was kept yet. @throws {Fault} `config_invalid` for one that isn't as it was written. */
export async function readKeptSet(installation: Installation): Promise<KeptSet | undefined> {
  const { inForceFile } = pathsOf(installation)
  const text = await readIfThere(inForceFile)
  if (text === undefined) return undefined
  try {
    const { policy_hash: policyHash, rolled_back, files } = written.parse(JSON.parse(text))
    if (hashTexts(files) !== policyHash) throw new Error("not the files of its hash")
    return { policyHash, texts: files, isRolledBack: rolled_back }
  } catch (cause) {
    throw new Fault(
      "config_invalid",
      `${inForceFile}, which has the files in force, is damaged. Put it back from a back-up; or move it away, and the next start takes the files on disk.`,
      { cause },
    )
  }
}

/** There whole or not at all, and on disk. @throws {Fault} `ledger_unavailable`. */
export async function keepSet(
  { policyHash, texts }: Pick<FileSet, "policyHash" | "texts">,
  isRolledBack: boolean,
  installation: Installation,
): Promise<void> {
  const set = { policy_hash: policyHash, rolled_back: isRolledBack, files: texts }
  await replaceFile(pathsOf(installation).inForceFile, JSON.stringify(set))
}

/** Keeps that the vault ended because a person asked for it, in this run of the machine. */
export async function keepStop(installation: Installation): Promise<void> {
  await replaceFile(pathsOf(installation).stoppedFile, stopText())
}

/** A person's word, where no daemon runs, that the next start takes the files on disk: also over a rollback. */
export async function takeFilesOnDisk(installation: Installation): Promise<void> {
  const kept = await readKeptSet(installation)
  if (kept?.isRolledBack === true) await keepSet(kept, false, installation)
  await keepStop(installation)
}

/** Whether it did. Where the machine was started since, nobody need have asked for the vault's start. */
export async function wasStopped(installation: Installation): Promise<boolean> {
  const text = await readIfThere(pathsOf(installation).stoppedFile)
  return text?.trim() === stopText()
}

/** From now on an end is one that nobody asked for: also where power is lost before the file's end is durable. */
export async function forgetStop(installation: Installation): Promise<void> {
  const { stoppedFile } = pathsOf(installation)
  try {
    await writeFile(stoppedFile, " ".repeat(stopText().length), { flag: overwrite })
    await unlink(stoppedFile)
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return
    const message = `${stoppedFile} can't be removed (${codeOf(cause) ?? "unknown error"}); check its owner.`
    throw new Fault("ledger_unavailable", message, { cause })
  }
}

/** In place and O_SYNC, which needs no room on a full disk, and no fsync, which Node's permission model refuses. */
const overwrite = constants.O_WRONLY | constants.O_SYNC | constants.O_NOFOLLOW

/** Where the machine's run has no name, all are one. */
function stopText(): string {
  return `stopped ${systemClock.bootId?.() ?? "by a person"}`
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8")
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return undefined
    const message = `${file} can't be read (${codeOf(cause) ?? "unknown error"}); check the disk and its owner.`
    throw new Fault("ledger_unavailable", message, { cause })
  }
}

/** Who asked for a start: a person, or what starts again a daemon that ended unasked. */
export type Starter = "person" | "supervisor"

const brokenCodes: ReadonlySet<FaultCode> = new Set([
  "config_invalid",
  "file_unsafe",
  "not_initialised",
])

/**
 * The files that a start puts in force: those that were in force last. Only where a person asked for both the stop and
 * the start, and no rollback stands, it is those on disk, if they can be used. The first start, and one of a version that
 * can't read what an earlier one kept, have none but those on disk.
 *
 * @throws {Fault} as {@link loadFiles}.
 */
export async function filesToStart(
  installation: Installation,
  starter: Starter,
): Promise<{ readonly files: FileSet; readonly kept: KeptSet | undefined }> {
  const kept = await readKeptSet(installation)
  const inForce = kept && parseFileSet(kept.texts)
  if (inForce?.ok !== true) return { files: await loadFiles(installation), kept }
  const isAsked = starter === "person" && (await mayChange(kept, installation))
  const onDisk = isAsked ? await loadIfOther(inForce.value, installation) : undefined
  return { files: onDisk ?? inForce.value, kept }
}

async function mayChange(kept: KeptSet | undefined, installation: Installation): Promise<boolean> {
  return kept?.isRolledBack !== true && (await wasStopped(installation))
}

/** `undefined` where they are those, or can't be used. To parse hundreds of symbols takes a large part of a start. */
async function loadIfOther(
  { policyHash }: FileSet,
  installation: Installation,
): Promise<FileSet | undefined> {
  try {
    const texts = await loadTexts(installation)
    return hashTexts(texts) === policyHash ? undefined : parseTexts(texts, installation)
  } catch (error) {
    if (error instanceof Fault && brokenCodes.has(error.code)) return undefined
    throw error
  }
}
