import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { fencedBlocks, readRepositoryFile, sectionOf } from "../../support/markdown.ts"
import { stableText, walkPagePath } from "../../support/walk-page.ts"

describe("the README", () => {
  it("shows a refusal as a terminal did", () => {
    const section = sectionOf(readRepositoryFile("README.md"), "What it looks like")
    const [refusal = "", ...others] = fencedBlocks(section, "json")
    assert.deepEqual(others, [])
    const printed = JSON.stringify(JSON.parse(refusal))
    // Ids differ from walk to walk.
    assert.ok(stableText(readRepositoryFile(walkPagePath)).includes(`\n${stableText(printed)}\n`))
  })
})
