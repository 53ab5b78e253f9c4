import { createHash } from "node:crypto"
import { readdir } from "node:fs/promises"
import { basename, join, relative } from "node:path"

import { Fault } from "../std/fault.ts"
import type { Result } from "../std/result.ts"
import { problemText, type Problem } from "../std/yaml-file.ts"
import { readProfile } from "../venue/profile-file.ts"
import type { FileSet } from "./active-set.ts"
import { readConfig, type Config } from "./config.ts"
import { pathsOf, type Installation } from "./installation.ts"
import { readPolicies } from "./policy/policy-file.ts"
import { assertTrustedDirectory, readConfigFile } from "./read-config-file.ts"

type TextFile = { readonly file: string; readonly text: string }

/**
 * Loads and checks countersign.yaml, venue.yaml and policies/*.yaml.
 *
 * @throws {Fault} `config_invalid` with every problem on a line of its own, `not_initialised`, `file_unsafe`.
 */
export async function loadFiles(installation: Installation): Promise<FileSet> {
  const paths = pathsOf(installation)
  await assertTrustedDirectory(installation.configDir)
  const configFile = await readText(paths.configFile)
  const venueFile = await readText(paths.venueFile)
  const policyFiles = await readPolicyTexts(installation.configDir, paths.policiesDir)

  const config = valueOf(readConfig(configFile.text, configFile.file))
  const profile = valueOf(readProfile(venueFile.text, venueFile.file))
  const policies = valueOf(readPolicies(policyFiles, profile), installation.configDir)
  return {
    config,
    profile,
    policies,
    filesHash: hashFiles([configFile, venueFile, ...policyFiles]),
  }
}

/** Loads countersign.yaml alone. @throws {Fault} as {@link loadFiles}. */
export async function loadConfig(installation: Installation): Promise<Config> {
  const { file, text } = await readText(pathsOf(installation).configFile)
  return valueOf(readConfig(text, file))
}

/** Policy files are named from the configuration directory on: a refusal tells bots no path of this machine. */
async function readPolicyTexts(configDir: string, directory: string): Promise<readonly TextFile[]> {
  await assertTrustedDirectory(directory)
  const names = await readdir(directory).catch((cause: unknown) => {
    throw new Fault("config_invalid", `${directory} can't be read; check its mode.`, { cause })
  })
  // Also POLICY.YAML: a file of denials must not be passed over for its name's case.
  const yamlNames = names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort()
  const files = await Promise.all(yamlNames.map((name) => readText(join(directory, name))))
  return files.map(({ file, text }) => ({ file: relative(configDir, file), text }))
}

async function readText(file: string): Promise<TextFile> {
  const bytes = await readConfigFile(file)
  try {
    return { file, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }
  } catch (cause) {
    throw new Fault("config_invalid", `${file} isn't UTF-8 text.`, { cause })
  }
}

function valueOf<Value>(result: Result<Value, readonly Problem[]>, base = ""): Value {
  if (result.ok) return result.value
  const lines = result.error.map((problem) =>
    problemText({ ...problem, file: join(base, problem.file) }),
  )
  throw new Fault("config_invalid", lines.join("\n"))
}

/** Over file names and bytes, each with its length, so that no two sets share one encoding. */
function hashFiles(files: readonly TextFile[]): string {
  const hash = createHash("sha256")
  for (const { file, text } of files) {
    const name = basename(file)
    hash.update(`${name.length}:${name}:${Buffer.byteLength(text)}:`).update(text, "utf8")
  }
  return hash.digest("hex")
}
