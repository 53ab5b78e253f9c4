import assert from "node:assert/strict"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { readRepositoryFile, repositoryRoot, sectionOf, tableRows } from "../../support/markdown.ts"

const rows = tableRows(
  sectionOf(readRepositoryFile("SECURITY.md"), "Threats, and what holds them off"),
)
const named = rows.map(([, , tests = ""]) =>
  [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? ""),
)

describe("SECURITY.md", () => {
  it("names for every threat a test that exists", () => {
    assert.ok(rows.length > 0)
    for (const [index, paths] of named.entries()) {
      assert.notEqual(paths.length, 0, rows[index]?.[0] ?? "")
      for (const path of paths) assert.ok(existsSync(join(repositoryRoot, path)), path)
    }
  })

  it("has a line for every test of a threat", () => {
    const files = readdirSync(join(repositoryRoot, "test/threats"))
    const missing = files.filter((file) => !named.flat().includes(`test/threats/${file}`))
    assert.deepEqual(missing, [])
  })
})
