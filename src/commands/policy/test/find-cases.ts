import { readdir, readFile } from "node:fs/promises"
import { join, relative } from "node:path"

import { decodeUtf8 } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { isBlankYaml } from "../../../std/yaml-text.ts"
import { pathsOf, type Installation } from "../../../vault/config/installation.ts"

/** A file of cases as it was found. `file` is the name that people are told. */
export type CasesText = { readonly file: string; readonly text: string }

/** Reads files that a person names. @throws {Fault} `usage` where one can't be read. */
export function readNamed(files: readonly string[]): Promise<readonly CasesText[]> {
  return Promise.all(files.map(async (file) => ({ file, text: await readText(file) })))
}

/**
 * Reads all files of `policies/cases/`. They lie below the policies, and not among them: of every .yaml there the
 * daemon makes a policy, so that none is passed over for its name.
 *
 * @throws {Fault} `config_invalid` where there are no cases.
 */
export async function findCases(installation: Installation): Promise<readonly CasesText[]> {
  const directory = join(pathsOf(installation).policiesDir, "cases")
  const names = await readdir(directory).catch(() => [])
  const files = names.filter((name) => /^[^.].*\.ya?ml$/i.test(name)).sort()
  const found = await readNamed(files.map((name) => join(directory, name)))
  const written = found.filter(({ text }) => !isBlankYaml(text))
  if (written.length > 0) return written.map((each) => shownBelow(installation.configDir, each))
  throw new Fault(
    "config_invalid",
    `There are no cases in ${directory}; write some, or name files.`,
  )
}

/** Under the name that policies have there, which starts at the configuration directory. */
function shownBelow(configDir: string, { file, text }: CasesText): CasesText {
  return { file: relative(configDir, file), text }
}

async function readText(file: string): Promise<string> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new Fault("usage", `${file} can't be read; name a file of cases.`, { cause })
  })
  const text = decodeUtf8(bytes)
  if (text.ok) return text.value
  throw new Fault("config_invalid", `${file} isn't UTF-8 text.`)
}
