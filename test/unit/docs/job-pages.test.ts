import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { describe, it } from "node:test"

import type { Command } from "commander"

import { countersign } from "../../../src/commands/countersign.ts"
import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"
import { commandLines, pageBlocks, type PageBlock } from "../../support/page-blocks.ts"

const docsPages = "test/system/docs-pages.test.ts"
const packed = "test/support/packed.ts"
const service = "test/support/service-script.ts"
const credential = "test/system/systemd-credential.test.ts"

/** The pages for a job, each with the test that plays it, or that takes from it the section that is named. */
const jobPages: readonly (readonly [page: string, playedBy: string])[] = [
  ["docs/walk.md", "test/system/walk.test.ts"],
  ["docs/http-api/quickstart.md", "test/process/demo.test.ts"],
  ["docs/policies.md", docsPages],
  ["docs/headless.md", credential],
  ["docs/go-live.md", "test/support/go-live-script.ts"],
  ["docs/agents.md", docsPages],
  ["docs/reads-and-budgets.md", docsPages],
  ["docs/operations/several-bots.md", docsPages],
  ["docs/operations/fleet.md", "test/system/postgres-fleet-daemons.test.ts"],
  ["docs/operations/questions.md", "test/system/questions.test.ts"],
  ["docs/incident.md", docsPages],
  ["docs/operations/stopping.md", docsPages],
  ["docs/upgrade.md", docsPages],
  ["docs/moving-a-bot.md", "test/system/examples.test.ts"],
  ["docs/ccxt-bots.md", "test/system/python-client.test.ts"],
]

/**
 * Lines that none of these tests can run as they stand: a container has another package, another key or nobody to
 * ask. Each with what runs it there.
 */
const runOtherwise: Readonly<Record<string, readonly (readonly [file: string, words: string])[]>> =
  {
    "npm install -g --prefix /usr/local ./countersign-0.1.0.tgz": [
      [packed, '"install", "--global", "--prefix", prefix'],
    ],
    "countersign init-service --copy-secret-to /run/countersign-key": [
      [service, "countersign init-service --with-key=host"],
      [service, "init --copy-secret-to /run/copy"],
    ],
    "countersign policy check": [["docs/policies.md", "\ncountersign policy check\n"]],
    "countersign install-service": [[service, "countersign install-service --yes"]],
    "systemctl enable --now countersign.target": [
      [service, "systemctl enable --now countersign.target"],
    ],
    "systemctl restart countersign-gate countersign-vault": [
      [service, "systemctl restart countersign-gate countersign-vault"],
    ],
    "apt-get install --yes /tmp/countersign_0.1.0_amd64.deb": [
      ["docs/debian.md", "apt-get install --yes /tmp/countersign_0.1.0_amd64.deb\n"],
      ["test/system/package-deb.test.ts", 'linesUnder("Install it")'],
      ["test/system/package-deb.test.ts", "${installHere} --reinstall"],
    ],
  }

/** Sections whose lines are run as they stand by a test that isn't the page's own. */
const takenBy: Readonly<Record<string, string>> = {
  "A keystore under a credential": credential,
  "Keys and clients": credential,
}

const program = await countersign()
const texts = jobPages.map(([page]) => ({ page, text: readRepositoryFile(page) }))
/** The pages of operations that are no job's. */
const lookedUp = readdirSync("docs/operations")
  .map((name) => `docs/operations/${name}`)
  .filter((page) => !texts.some((each) => each.page === page))
  .map((page) => ({ page, text: readRepositoryFile(page) }))
const processTests = ["test/process", "test/system", "test/support"]
  .flatMap((directory) => readdirSync(directory).map((name) => `${directory}/${name}`))
  .filter((file) => file.endsWith(".ts"))
  .map(readRepositoryFile)
const played = texts.flatMap(({ text }) => pageBlocks(text).flatMap(linesOf))

describe("the pages by job", () => {
  it("are those that the README leads to", () => {
    const jobs = tableRows(sectionOf(readRepositoryFile("README.md"), "Read on")).flatMap(
      ([, page = ""]) => /docs\/(?:[\w-]+\/)?[\w-]+\.md(?=\))/.exec(page)?.[0] ?? [],
    )
    assert.deepEqual(
      jobs,
      jobPages.map(([page]) => page),
    )
  })

  for (const [page, playedBy] of jobPages) {
    it(`are played by a test: ${page}`, () => {
      const test = readRepositoryFile(playedBy)
      const isNamed = [page, "walkPagePath"].some((name) => test.includes(name))
      assert.ok(isNamed, `${playedBy} names ${page}`)
    })
  }

  for (const page of ["docs/headless.md", "docs/upgrade.md"]) {
    it(`have no line that only a server could run and no container does: ${page}`, () => {
      const blocks = pageBlocks(readRepositoryFile(page)).filter(({ title }) => isForServers(title))
      assert.ok(blocks.length > 1)
      for (const block of blocks) {
        const test = takenBy[block.title]
        if (test !== undefined) assert.ok(readRepositoryFile(test).includes(`"${block.title}"`))
        else for (const line of linesOf(block)) assertRunOtherwise(line)
      }
    })
  }

  for (const { page, text } of [...texts, ...lookedUp]) {
    it(`name in sentences only commands that there are and that tests run, in ${page}`, () => {
      const named = codesIn(text)
        .filter((code) => !code.endsWith("…"))
        .flatMap((code) => /^countersign ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/.exec(code)?.[1] ?? [])
      for (const words of named) {
        const name = commandsOf(program).find((each) => `${words} `.startsWith(`${each} `))
        assert.ok(name !== undefined, `there is a command ${words}`)
        const isPlayed = played.some((line) => line.startsWith(`countersign ${name}`))
        assert.ok(isPlayed || isRunByTest(name), `a test runs countersign ${name}`)
      }
    })

    it(`name in sentences only options that there are, in ${page}`, () => {
      const options = allCommands(program).flatMap((each) => each.options.map(({ long }) => long))
      const ours = codesIn(text).filter((code) => /^(?:countersign |--)/.test(code))
      for (const [, option = ""] of ours.join(" ").matchAll(/(--[a-z-]+)/g)) {
        assert.ok(options.includes(option), option)
      }
    })
  }
})

function linesOf({ language, text }: PageBlock): readonly string[] {
  return language === "sh" ? commandLines(text) : []
}

/** Whether a test that starts processes names all words of a command, as arguments or on a command line. */
function isRunByTest(name: string): boolean {
  const words = name.split(" ").map((word) => `"${word}"`)
  return processTests.some(
    (text) => text.includes(`countersign ${name}`) || words.every((word) => text.includes(word)),
  )
}

/** Of the sections that docs-pages.test.ts leaves to others. */
function isForServers(title: string): boolean {
  return ["Install", "From npm", "From Debian"].includes(title) || title in takenBy
}

function assertRunOtherwise(line: string): void {
  const runs = runOtherwise[line]
  assert.ok(runs !== undefined, `runOtherwise says what runs ${line}`)
  for (const [file, words] of runs) {
    assert.ok(readRepositoryFile(file).includes(words), `${file} has ${words}`)
  }
}

function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)]
}

/** The words of every command that does something, `policy check`. */
function commandsOf(command: Command): readonly string[] {
  return command.commands.flatMap((each) =>
    each.commands.length === 0
      ? [each.name()]
      : commandsOf(each).map((name) => `${each.name()} ${name}`),
  )
}
