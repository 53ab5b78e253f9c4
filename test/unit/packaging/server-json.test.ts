import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { countersign } from "../../../src/commands/countersign.ts"
import { leavesOf } from "../../support/command-tree.ts"
import { readRepositoryFile } from "../../support/markdown.ts"

type Manifest = { readonly name: string; readonly version: string; readonly mcpName: string }

type Server = {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly packages: readonly {
    readonly identifier: string
    readonly version: string
    readonly packageArguments: readonly { readonly name?: string; readonly value?: string }[]
  }[]
}

const manifest = JSON.parse(readRepositoryFile("package.json")) as Manifest
const server = JSON.parse(readRepositoryFile("server.json")) as Server

describe("server.json", () => {
  it("names the package, its version and its name at the registry as package.json does", () => {
    const { name, version, mcpName } = manifest
    assert.deepEqual([server.name, server.version], [mcpName, version])
    const named = server.packages.map((each) => [each.identifier, each.version])
    assert.deepEqual(named, [[name, version]])
  })

  it("describes it in the 100 characters that the registry has room for", () => {
    assert.ok(server.description.length <= 100)
  })

  it("starts a command that there is, with options that it takes", async () => {
    const leaf = leavesOf(await countersign()).get("mcp")
    assert.ok(leaf)
    const known = leaf.options.map(({ long }) => long)
    const [command, ...options] = server.packages[0]?.packageArguments ?? []
    assert.equal(command?.value, "mcp")
    for (const { name = "" } of options) assert.ok(known.includes(name), name)
  })
})
