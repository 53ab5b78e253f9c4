import type { Warning } from "../../contract/views.ts"
import { Fault } from "../../std/fault.ts"
import {
  type FileSet,
  type FileText,
  hashTexts,
  loadTexts,
  parseTexts,
} from "../config/load-files.ts"
import type { Installation } from "../config/installation.ts"
import { keepSet, type KeptSet } from "../config/kept-set.ts"
import type { Standing } from "../ledger/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"

/** That the files on disk aren't those in force. */
export type Difference = Warning & {
  /** When it was seen first. */
  readonly sinceMs: LedgerTime
}

/** Where files are read from, and which set a start takes up again. */
export type DiskFiles = ReturnType<typeof filesOnDisk>

export function filesOnDisk(installation: Installation, kept: KeptSet | undefined) {
  return {
    load: () => loadTexts(installation),
    /** @throws {Fault} where they can't be used. */
    parse: (texts: readonly FileText[]) => parseTexts(texts, installation),
    keep: (set: FileSet, isRolledBack: boolean) => keepSet(set, isRolledBack, installation),
    /** Whether the set that a start took up was rolled back to. */
    isRolledBack: kept?.isRolledBack === true,
  }
}

/**
 * Compares the files on disk with those in force, whenever it is asked to. It parses what it finds once: that takes long
 * enough to keep requests waiting.
 */
export function watchFilesOnDisk(
  onDisk: DiskFiles,
  { active, now }: { readonly active: () => FileSet & Standing; readonly now: () => LedgerTime },
) {
  let { isRolledBack } = onDisk
  let last: Difference | undefined
  let lookedAt: string | undefined
  /** What was found, beside what was in force then. */
  let compared: string | undefined
  async function lookAtDisk(): Promise<void> {
    const before = compared
    compared = undefined
    let found: Warning | undefined
    try {
      const texts = await onDisk.load()
      const hash = hashTexts(texts)
      compared = `${hash} ${active().policyHash}`
      if (compared === before) return
      if (hash !== active().policyHash) {
        found = differenceOf(onDisk.parse(texts), active(), isRolledBack)
      }
    } catch (error) {
      found = unusableFiles(error)
    }
    last = found && { ...found, sinceMs: last?.sinceMs ?? now() }
    lookedAt = active().policyHash
  }
  return {
    lookAtDisk,
    /** What was seen under other files says nothing of those in force now. */
    differ: () => (lookedAt === active().policyHash ? last : undefined),
    async keep(files: FileSet, isNowRolledBack: boolean): Promise<void> {
      isRolledBack = isNowRolledBack
      await onDisk.keep(files, isRolledBack)
      compared = undefined
      await lookAtDisk()
    },
  }
}

function unusableFiles(error: unknown): Warning {
  const why = error instanceof Fault ? error.message : "They can't be read."
  const message = `The files on disk aren't used; those that were in force run instead. ${why}`
  return { message, fix: "countersign policy check" }
}

function differenceOf(
  onDisk: FileSet,
  inForce: FileSet & Standing,
  isRolledBack: boolean,
): Warning {
  const files = changedFiles(inForce.texts, onDisk.texts).join(", ")
  if (inForce.config.attestRequired && onDisk.policyHash !== inForce.acceptedHash) {
    const message = `The files on disk aren't in force: ${files}. A person has to accept them.`
    return { message, fix: "countersign policy accept" }
  }
  const why = isRolledBack ? " An earlier set was put in force." : ""
  return {
    message: `The files on disk aren't in force: ${files}.${why}`,
    fix: "countersign policy reload",
  }
}

/** The names of those that aren't the same in both. */
export function changedFiles(
  before: readonly FileText[],
  after: readonly FileText[],
): readonly string[] {
  const [from, to] = [before, after].map((texts) => new Map(texts.map((file) => [file.name, file])))
  const names = [...new Set([...before, ...after].map(({ name }) => name))].sort()
  return names.filter((name) => from?.get(name)?.text !== to?.get(name)?.text)
}
