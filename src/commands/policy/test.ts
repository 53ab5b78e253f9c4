import { constants } from "node:fs"
import { open, readdir, readFile, type FileHandle } from "node:fs/promises"
import { join, relative } from "node:path"

import { decodeUtf8 } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { problemText, isBlankYaml } from "../../std/yaml-file.ts"
import type { FileSet } from "../../vault/config/load-files.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { flag, option, words } from "../cli/command.ts"
import { loadCheckedFiles } from "../installation/checked-files.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { parseCases, type CaseFile } from "./test/parse-cases.ts"
import { unreachedBy, junitText, resultLines, type Unreached } from "./test/report.ts"
import { expectedOf, runCase, type CaseResult } from "./test/run-case.ts"

type Tested = {
  readonly results: readonly CaseResult[]
  readonly unreached: readonly Unreached[]
}

/** `countersign policy test [FILE…]`: holds the policies on disk against cases, without a daemon and without keys. */
export const policyTest = installationCommand({
  description: "try cases on the policies on disk, and say which entries no case reaches",
  examples: [
    "countersign policy test",
    "countersign policy test --require-coverage --junit policies.xml --config-dir ./config",
    "countersign policy test new-cases.yaml",
  ],
  options: {
    named: words("[files...]", "files of cases; those in policies/cases/ if left out"),
    requireCoverage: flag("--require-coverage", "fail where no case reaches an entry"),
    junit: option("--junit <file>", "write the results as JUnit's XML"),
  },
  answer: async (installation, { named, requireCoverage, junit }): Promise<Tested> => {
    // What root names may be root's alone.
    const given = await readNamed(named)
    const report = junit === undefined ? undefined : await openReport(junit)
    try {
      becomeOwner(installation.stateDir)
      const tested = await runCases(installation, given)
      await report?.write(junitText(tested.results, requireCoverage ? tested.unreached : undefined))
      return tested
    } finally {
      await report?.close()
    }
  },
  json: forScripts,
  print: ({ results, unreached }) => resultLines(results, unreached),
  exitCode: ({ results, unreached }, { requireCoverage }) =>
    results.some(({ failure }) => failure !== null) || (requireCoverage && unreached.length > 0)
      ? 1
      : 0,
})

async function runCases(installation: Installation, given: readonly CasesText[]): Promise<Tested> {
  const files = await loadCheckedFiles(installation)
  const cases = readAll(given.length > 0 ? given : await findCases(installation), files)
  const results = cases.flatMap((own) => own.cases.map((each) => runCase(each, own, files)))
  return { results, unreached: unreachedBy(results, files.policies) }
}

function readAll(texts: readonly CasesText[], files: FileSet): readonly CaseFile[] {
  const read = texts.map((each) => parseCases(each, files))
  const problems = read.flatMap((each) => (each.ok ? [] : each.error))
  if (problems.length > 0) throw new Fault("config_invalid", problems.map(problemText).join("\n"))
  return read.flatMap((each) => (each.ok ? [each.value] : []))
}

function forScripts({ results, unreached }: Tested) {
  return {
    passed: results.filter(({ failure }) => failure === null).length,
    failed: results.filter(({ failure }) => failure !== null).length,
    cases: results.map(({ case: own, got, failure }) => ({
      ...{ file: own.file, line: own.line, name: own.name },
      ...{ client: own.client, key: own.key, operation: own.endpoint.id },
      ...{ expected: expectedOf(own), got, failure },
    })),
    unreached,
  }
}

/** Opens what the results go into: a new file, or one that has results. A file of anything else stays as it is. */
async function openReport(file: string) {
  const handle = await open(file, constants.O_RDWR | constants.O_CREAT).catch((cause: unknown) => {
    throw new Fault("usage", `${file} can't be written; name another file for --junit.`, { cause })
  })
  const isFile = (await handle.stat()).isFile() // and not /dev/stdout, which holds nothing
  if (isFile && !(await holdsResults(handle))) {
    await handle.close()
    throw new Fault(
      "usage",
      `${file} holds something else than test results; name a new file for --junit.`,
    )
  }
  return {
    write: async (text: string): Promise<void> => {
      if (isFile) await handle.truncate()
      await handle.writeFile(text)
    },
    close: () => handle.close(),
  }
}

async function holdsResults(handle: FileHandle): Promise<boolean> {
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(1_024), 0, 1_024, 0)
  return bytesRead === 0 || buffer.toString("latin1", 0, bytesRead).includes("<testsuite")
}

/** A file of cases as it was found. `file` is the name that people are told. */
type CasesText = { readonly file: string; readonly text: string }

/** Reads files that a person names. @throws {Fault} `usage` where one can't be read. */
function readNamed(files: readonly string[]): Promise<readonly CasesText[]> {
  return Promise.all(files.map(async (file) => ({ file, text: await readText(file) })))
}

/**
 * Reads all files of `policies/cases/`. They lie below the policies, and not among them: of every .yaml there the
 * daemon makes a policy, so that none is passed over for its name.
 *
 * @throws {Fault} `config_invalid` where there are no cases.
 */
async function findCases(installation: Installation): Promise<readonly CasesText[]> {
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
