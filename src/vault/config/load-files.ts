import { createHash } from "node:crypto"
import { lstat, readdir, stat } from "node:fs/promises"
import { join, relative } from "node:path"
import { existsSync, type Stats } from "node:fs"

import type { GateSettings } from "../../link/gate-settings.ts"
import { Fault } from "../../std/fault.ts"
import { codeOf, openUnfollowed } from "../../std/private-file.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { quoted, visible, shellWord } from "../../std/visible.ts"
import { type Problem, problemText } from "../../std/yaml-file.ts"
import { parseProfile } from "../../venue/profile/profile-file.ts"
import { parsePolicies } from "../policy/file/policy-file.ts"
import { parseConfig } from "./config.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { parsePaper, type View } from "./paper.ts"

/** A configuration file's content. `name` starts at the configuration directory: a refusal tells bots no path of this machine. */
export type FileText = { readonly name: string; readonly text: string }

/** What the files say, and the hash that names them wherever they are meant. */
export type FileSet = View & {
  /** The same as paper keys are judged by; none without a venue-paper.yaml. */
  readonly paper?: View | undefined
  /** The files themselves, so that a set can be run again. */
  readonly texts: readonly FileText[]
  /** SHA-256 over names and bytes, hex; a record's says which set judged it. */
  readonly policyHash: string
}

const configName = "countersign.yaml"
const venueName = "venue.yaml"
const paperFileName = "venue-paper.yaml"

/**
 * Parses a set of configuration files as one: all of them, or every problem of all of them. Policies are
 * read against the profile, so their problems show once venue.yaml has none.
 */
export function parseFileSet(texts: readonly FileText[]): Result<FileSet, readonly Problem[]> {
  const config = parseConfig(textOf(texts, configName), configName)
  const profile = parseProfile(textOf(texts, venueName), venueName)
  const policies = profile.ok ? parsePolicies(policyTexts(texts), profile.value) : undefined
  if (config.ok && profile.ok && policies?.ok === true) {
    const live = { config: config.value, profile: profile.value, policies: policies.value }
    const paper = paperIn(texts, live)
    if (!paper.ok) return paper
    return ok({ ...live, paper: paper.value, texts, policyHash: hashTexts(texts) })
  }
  const problems = [config, profile, policies].map((read) =>
    read === undefined || read.ok ? [] : read.error,
  )
  return err(problems.flat())
}

function paperIn(
  texts: readonly FileText[],
  live: View,
): Result<View | undefined, readonly Problem[]> {
  const file = texts.find(({ name }) => name === paperFileName)
  return file === undefined ? ok(undefined) : parsePaper(file.text, file.name, live)
}

function textOf(texts: readonly FileText[], wanted: string): string {
  return texts.find(({ name }) => name === wanted)?.text ?? ""
}

function policyTexts(texts: readonly FileText[]) {
  return texts
    .filter(({ name }) => ![configName, venueName, paperFileName].includes(name))
    .map(({ name, text }) => ({ file: name, text }))
}

/** Over file names and texts, each with its length, so that no two sets share one encoding. */
export function hashTexts(texts: readonly FileText[]): string {
  const hash = createHash("sha256")
  for (const { name, text } of texts) {
    hash.update(`${name.length}:${name}:${Buffer.byteLength(text)}:`).update(text, "utf8")
  }
  return hash.digest("hex")
}

/**
 * Loads and checks countersign.yaml, venue.yaml, venue-paper.yaml where it is, and policies/*.yaml.
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
  const { configFile, venueFile, paperFile, policiesDir } = pathsOf(installation)
  await assertTrustedDirectory(configDir)
  const paper = existsSync(paperFile) ? [paperFile] : []
  const own = await readTexts([configFile, venueFile, ...paper], configDir)
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

/** Far more than any real file; bounds what a wrong path can make us read. */
const maxConfigBytes = 1024 * 1024

/**
 * Reads a configuration file's bytes through one handle, so that what was checked is what is read.
 *
 * @throws {Fault} `not_initialised` when there is none, `file_unsafe` when it is a symlink or others
 * could change it, `config_invalid` when it can't be read.
 */
export async function readConfigFile(path: string): Promise<Uint8Array> {
  const handle = await openUnfollowed(path).catch((cause: unknown) => {
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
  const code = codeOf(cause)
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

/** The settings that the gate needs to send to the venue, and to paper's. */
export function gateSettingsOf({ config, profile, paper }: FileSet): GateSettings {
  const to = (baseUrl?: string) => (baseUrl === undefined ? null : { baseUrl, ...config.upstream })
  return {
    upstream: to(profile.baseUrl),
    paper: to(paper?.profile.baseUrl),
    allowedHosts: config.allowedHosts,
    keepWarmMs: config.keepWarmMs,
  }
}
