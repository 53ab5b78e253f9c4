import { lstat, readdir } from "node:fs/promises"
import { join, relative } from "node:path"

import { Fault, type FaultCode } from "../../std/fault.ts"
import { isThere } from "../../std/fs/is-there.ts"
import { problemText, type Problem } from "../../std/yaml-file.ts"
import { systemClock } from "../process/clock.ts"
import type { FileSet, FileText } from "./file-set.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { assertTrustedDirectory, readConfigFile } from "./read-config-file.ts"
import { parseFileSet } from "./parse-file-set.ts"

/**
 * Loads and checks countersign.yaml, venue.yaml and policies/*.yaml.
 *
 * @throws {Fault} `config_invalid` with every problem on a line of its own, `not_initialised`, `file_unsafe`.
 */
export async function loadFiles(installation: Installation): Promise<FileSet> {
  const read = parseFileSet(await loadTexts(installation))
  if (read.ok) return read.value
  throw invalidFiles(read.error, installation)
}

/** Every problem on a line of its own, in the form that editors and people follow. */
export function invalidFiles(problems: readonly Problem[], { configDir }: Installation): Fault {
  const lines = problems.map((problem) =>
    problemText({ ...problem, file: join(configDir, problem.file) }),
  )
  return new Fault("config_invalid", lines.join("\n"))
}

async function loadTexts(installation: Installation): Promise<readonly FileText[]> {
  const { configDir } = installation
  const { configFile, venueFile, policiesDir } = pathsOf(installation)
  await assertTrustedDirectory(configDir)
  const own = await readTexts([configFile, venueFile], configDir)
  return [...own, ...(await readTexts(await policyFiles(policiesDir), configDir))]
}

/** One after the other, so that of several that can't be read it is always the first that is named. */
async function readTexts(
  files: readonly string[],
  configDir: string,
): Promise<readonly FileText[]> {
  const texts: FileText[] = []
  for (const file of files) {
    texts.push({ name: relative(configDir, file), text: await readConfigText(file) })
  }
  return texts
}

async function policyFiles(directory: string): Promise<readonly string[]> {
  await assertTrustedDirectory(directory, lstat)
  const names = await readdir(directory).catch((cause: unknown) => {
    throw new Fault("config_invalid", `${directory} can't be read; check its mode.`, { cause })
  })
  // Also POLICY.YAML: a file of denials must not be passed over for its name's case.
  const yamlNames = names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort()
  return yamlNames.map((name) => join(directory, name))
}

/** @throws {Fault} `config_invalid`, `not_initialised`, `file_unsafe`. */
export async function readConfigText(file: string): Promise<string> {
  const bytes = await readConfigFile(file)
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Fault("config_invalid", `${file} isn't UTF-8 text.`, { cause })
  }
}

export type UsableFiles = { readonly files: FileSet; readonly alarm: string | undefined }

const brokenCodes: ReadonlySet<FaultCode> = new Set([
  "config_invalid",
  "file_unsafe",
  "not_initialised",
])

/**
 * The files on disk; or, where they can't be used, the last ones that were in force, with an alarm that
 * says what is wrong with those on disk. An installation that never served has none to fall back to.
 *
 * @throws {Fault} as {@link loadFiles}.
 */
export async function loadUsableFiles(installation: Installation): Promise<UsableFiles> {
  try {
    return { files: await loadFiles(installation), alarm: undefined }
  } catch (error) {
    if (!(error instanceof Fault) || !brokenCodes.has(error.code)) throw error
    const files = await lastGoodFiles(installation)
    if (files === undefined) throw error
    const alarm = `The files on disk aren't used; the last good ones run instead. ${error.message}`
    return { files, alarm }
  }
}

async function lastGoodFiles(installation: Installation): Promise<FileSet | undefined> {
  const { ledgerFile } = pathsOf(installation)
  if (!isThere(ledgerFile)) return undefined
  // countersign serve, which loads this on its way to the vault, has no other use for it.
  const { openLedger } = await import("../ledger/open-ledger.ts")
  const ledger = await openLedger({ file: ledgerFile, clock: systemClock })
  try {
    const { lastSet } = ledger
    const read = lastSet === undefined ? undefined : parseFileSet(lastSet.files)
    return read?.ok === true ? read.value : undefined
  } finally {
    await ledger.close()
  }
}
