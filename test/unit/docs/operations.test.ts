import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Command } from "commander"

import { countersign } from "../../../src/commands/countersign.ts"
import { parseConfig } from "../../../src/vault/config/config.ts"
import {
  codesIn,
  readPagesOf,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"

const pages = readPagesOf("docs/operations")
const program = await countersign()
const settings = tableRows(sectionOf(pages, "countersign.yaml")).flatMap(([key = ""]) =>
  codesIn(key),
)

describe("docs/operations/", () => {
  it("names every command, and no other", () => {
    const named = codesIn(pages).map((code) => code.replace(/^countersign /, ""))
    const known = commandsOf(program)
    for (const name of known) {
      assert.ok(
        named.some((each) => `${each} `.startsWith(`${name} `)),
        name,
      )
    }
    for (const [, name = ""] of pages.matchAll(/`countersign ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)) {
      assert.ok(
        known.some((each) => `${name} `.startsWith(`${each} `)),
        name,
      )
    }
  })

  it("names no option that there isn't", () => {
    const options = allCommands(program).flatMap((each) => each.options.map(({ long }) => long))
    const ours = codesIn(pages).filter((code) => /^(?:countersign |--)/.test(code))
    for (const [, option = ""] of ours.join(" ").matchAll(/(--[a-z-]+)/g)) {
      assert.ok(options.includes(option), option)
    }
  })

  it("lists every key of countersign.yaml, and no other", () => {
    const [, schema = ""] = readRepositoryFile("src/vault/config/config.ts").split(
      "const configSchema",
    )
    const [source = ""] = schema.split("\n  })")
    const keys = [...source.matchAll(/^ {4}(\w+)(?:: |,$)/gm)].map(([, key = ""]) => key)
    assert.ok(keys.includes("listen"))
    const listed = settings.map((key) => key.split(".")[0] ?? "")
    assert.deepEqual([...new Set(listed)].sort(), keys.sort())
  })

  it("gives each its default", () => {
    const lines = tableRows(sectionOf(pages, "countersign.yaml")).flatMap(
      ([key = "", value = ""]) => {
        const [name = ""] = codesIn(key)
        const [text] = codesIn(value)
        return text === undefined || name.includes(".") ? [] : [`${name}: ${text}`]
      },
    )
    assert.ok(lines.length > 6)
    const least = "keystore: {backend: memory}\n"
    const written = parseConfig(`${least}${lines.join("\n")}\n`, "countersign.yaml")
    assert.deepEqual(written.ok ? [] : written.error, [])
    assert.deepEqual(written, parseConfig(least, "countersign.yaml"))
  })
})

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
