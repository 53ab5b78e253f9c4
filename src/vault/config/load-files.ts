import { lstat, readdir, open, stat } from "node:fs/promises"
import { join, relative } from "node:path"
import { constants, type Stats } from "node:fs"

import { Fault, type FaultCode } from "../../std/fault.ts"
import { quoted, visible, shellWord } from "../../std/visible.ts"
import { problemText, type Problem } from "../../std/yaml-file.ts"
import { type FileSet, type FileText, hashTexts, parseFileSet } from "./file-set.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { type KeptSet, readKeptSet, wasStopped } from "./kept-set.ts"

/**
 * Loads and checks countersign.yaml, venue.yaml and policies/*.yaml.
 *
 * @throws {Fault} `config_invalid` with every problem on a line of its own, `not_initialised`, `file_unsafe`.
 */
export async function loadFiles(installation: Installation): Promise<FileSet> {
  return parseTexts(await loadTexts(installation), installation)
}

/** @throws {Fault} `config_invalid`, as {@link loadFiles}. */
export function parseTexts(texts: readonly FileText[], installation: Installation): FileSet {
  const read = parseFileSet(texts)
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

/** Loads them as they are. @throws {Fault} `config_invalid`, `not_initialised`, `file_unsafe`. */
export async function loadTexts(installation: Installation): Promise<readonly FileText[]> {
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
  const yamlNames = names.filter((name) => /^[^.].*\.ya?ml$/is.test(name)).sort()
  const strange = yamlNames.find((name) => visible(name) !== name)
  if (strange !== undefined) {
    const message = `${directory} has a file ${quoted(strange)}; give it a name without characters that can't be seen.`
    throw new Fault("config_invalid", message)
  }
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

/** Far more than any real file; bounds what a wrong path can make us read. */
const maxConfigBytes = 1024 * 1024

/**
 * Reads a configuration file's bytes through one handle, so that what was checked is what is read.
 *
 * @throws {Fault} `not_initialised` when there is none, `file_unsafe` when it is a symlink or others
 * could change it, `config_invalid` when it can't be read.
 */
export async function readConfigFile(path: string): Promise<Uint8Array> {
  // O_NONBLOCK: opening a FIFO that nobody writes to would otherwise wait for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch((cause: unknown) => {
    throw openFault(path, cause)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new Fault("config_invalid", `${path} isn't a regular file.`)
    if (stats.size > maxConfigBytes)
      throw new Fault("config_invalid", `${path} is larger than 1 MiB.`)
    assertTrusted(path, stats)
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}

/**
 * Throws unless `path` is a directory in which nobody but root and the daemon's user can add, remove or
 * exchange files: whoever can take a file of denials away widens what is allowed. With `lstat` to look by, it may be
 * no symlink either: what lies on the way to where that leads isn't looked at.
 *
 * @throws {Fault} `not_initialised`, `file_unsafe`, `config_invalid`.
 */
export async function assertTrustedDirectory(path: string, look = stat): Promise<void> {
  const stats = await look(path).catch((cause: unknown) => {
    throw openFault(path, cause)
  })
  if (stats.isSymbolicLink()) {
    throw new Fault("file_unsafe", `${path} is a symlink; put the directory itself there.`)
  }
  if (!stats.isDirectory()) throw new Fault("config_invalid", `${path} isn't a directory.`)
  assertTrusted(path, stats)
}

function assertTrusted(path: string, { uid, mode }: Stats): void {
  if (uid !== 0 && uid !== process.geteuid?.()) {
    throw new Fault(
      "file_unsafe",
      `${path} belongs to another user (${uid}), who could change it. Run this as the installation's owner, or as root; the files must be theirs.`,
    )
  }
  if ((mode & 0o022) !== 0) {
    throw new Fault(
      "file_unsafe",
      `${path} can be changed by others; run: chmod go-w ${shellWord(path)}`,
    )
  }
}

function openFault(path: string, cause: unknown): Fault {
  const code = (cause as NodeJS.ErrnoException).code // whatever fs throws is an ErrnoException
  if (code === "ENOENT") {
    return new Fault("not_initialised", `${path} doesn't exist; run countersign init first.`, {
      cause,
    })
  }
  if (code === "ELOOP") {
    return new Fault(
      "file_unsafe",
      `${path} is a symlink, which isn't followed; have the file itself there.`,
      { cause },
    )
  }
  return new Fault("config_invalid", `${path} can't be read (${code ?? "unknown error"}).`, {
    cause,
  })
}
