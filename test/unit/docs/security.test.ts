import assert from "node:assert/strict"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { readRepositoryFile, repositoryRoot, sectionOf } from "../../support/markdown.ts"

const section = sectionOf(readRepositoryFile("SECURITY.md"), "Threats, and what holds them off")
/** Each begins with its threat, and ends with what tried it. */
const threats = section.split(/^(?=\*\*)/m).slice(1)
const named = threats.map((text) =>
  [...text.slice(text.indexOf("\nTried by ")).matchAll(/\]\(([^)]+)\)/g)].map(
    ([, path = ""]) => path,
  ),
)

describe("SECURITY.md", () => {
  it("names for every threat a test that exists", () => {
    assert.ok(threats.length > 25, `${threats.length}`)
    for (const [index, paths] of named.entries()) {
      const threat = threats[index] ?? ""
      assert.match(threat, /\nTried by /)
      assert.notEqual(paths.length, 0, threat)
      for (const path of paths) assert.ok(existsSync(join(repositoryRoot, path)), path)
    }
  })

  it("names every test of a threat", () => {
    const files = readdirSync(join(repositoryRoot, "test/threats"))
    const missing = files.filter((file) => !named.flat().includes(`test/threats/${file}`))
    assert.deepEqual(missing, [])
  })
})
