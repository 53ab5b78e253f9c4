import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Command } from "commander"

import { exitCodes, waitsExitCode } from "../../../src/commands/cli/exit-code.ts"
import { countersign } from "../../../src/commands/countersign.ts"
import { commandLinesOf, examplesIn, helpOf, leavesOf } from "../../support/command-tree.ts"
import { readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"

/** Commands that answer nothing that a script would read as JSON, and why. */
const withoutJson: Readonly<Record<string, string>> = {
  serve: "stays up, says one line when it is ready, and logs JSON on stderr",
  sandbox: "stays up, and says a line for each request",
  demo: "tells a story",
  mcp: "speaks a protocol",
  completion: "prints a script",
  "ledger host-key": "prints one word",
  "ledger move": "prints SQL",
  "ledger put-back": "prints SQL",
  "ledger leave-out": "prints SQL",
  "ledger grants": "prints SQL",
}

const program = await countersign()

describe("--help of every command", () => {
  for (const [name, leaf] of leavesOf(program)) {
    it(`shows how to use countersign ${name}, in lines that it understands`, async () => {
      const examples = examplesIn(helpOf(leaf))
      assert.ok(examples.length > 0, "it has an example")
      const lines = examples.flatMap(commandLinesOf)
      assert.ok(
        lines.some((words) => words.join(" ").startsWith(name)),
        "one is of this command",
      )
      for (const words of lines) await assert.doesNotReject(understand(words), words.join(" "))
    })

    it(`says in a line what countersign ${name} and each of its words are for`, () => {
      assert.match(leaf.description(), /^\S.*\S$/)
      for (const option of leaf.options) assert.notEqual(option.description, "", option.flags)
      for (const word of leaf.registeredArguments)
        assert.notEqual(word.description, "", word.name())
    })
  }

  it("would notice an example that isn't understood any more", async () => {
    for (const words of [
      ["keys", "list", "--jsn"],
      ["keys", "lst"],
      ["keys", "generate", "--name", "mm"],
      ["keys", "generate", "--name", "mm", "--role", "boss"],
      ["prices", "set", "BTC-PERP"],
      ["prices", "set", "BTC-PERP", "1", "2"],
    ]) {
      await assert.rejects(understand(words), words.join(" "))
    }
  })
})

describe("--json", () => {
  const leaves = leavesOf(program)
  for (const [name, leaf] of leaves) {
    const reason = withoutJson[name]
    it(
      reason === undefined
        ? `is an option of countersign ${name}`
        : `isn't one of countersign ${name}, which ${reason}`,
      () => {
        const has = leaf.options.some(({ long }) => long === "--json")
        assert.equal(has, reason === undefined)
      },
    )
  }
})

describe("the exit codes", () => {
  it("are those of docs/operations/exit-codes.md", () => {
    const page = readRepositoryFile("docs/operations/exit-codes.md")
    const documented = tableRows(sectionOf(page, "Exit codes")).map(([code]) => Number(code))
    assert.deepEqual(
      documented,
      [...new Set([0, waitsExitCode, ...Object.values(exitCodes)])].sort(),
    )
  })
})

/** Reads a command line as the program does, without doing what it says. @throws when it is wrong. */
async function understand(words: readonly string[]): Promise<void> {
  const made = await countersign(words)
  disarm(made)
  made.parse(words, { from: "user" })
}

function disarm(command: Command): void {
  command.configureOutput({ writeErr: () => undefined, outputError: () => undefined })
  if (command.commands.length === 0) command.action(() => undefined)
  for (const each of command.commands) disarm(each)
}
