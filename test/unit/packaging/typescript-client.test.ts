import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { readRepositoryFile } from "../../support/markdown.ts"

describe("the package of the TypeScript client", () => {
  const ours = read("package.json")
  const its = read("clients/typescript/package.json")

  it("has the version of package.json, and runs on the Nodes that the daemon runs on", () => {
    assert.deepEqual([its["version"], its["engines"]], [ours["version"], ours["engines"]])
  })

  it("needs no other package, and runs nothing when it is installed", () => {
    const of = /dependencies|scripts|bin/i
    assert.deepEqual(
      Object.keys(its).filter((name) => of.test(name)),
      [],
    )
  })

  function read(path: string): Readonly<Record<string, unknown>> {
    return JSON.parse(readRepositoryFile(path)) as Readonly<Record<string, unknown>>
  }
})
