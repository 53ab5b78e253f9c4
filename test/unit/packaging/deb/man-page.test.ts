import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { manPage } from "../../../../packaging/deb/man-page.ts"
import { countersign } from "../../../../src/commands/countersign.ts"
import { examplesIn, helpOf, leavesOf } from "../../../support/command-tree.ts"

const page = await manPage("1.2.3")
const plain = page.replaceAll("\\-", "-").replaceAll("\\e", "\\")

describe("countersign(1)", () => {
  it("names the version, and has each command under its job, with its options and examples", async () => {
    assert.match(plain, /^\.TH COUNTERSIGN 1 "" "Countersign 1\.2\.3" ""\n/)
    assert.match(plain, /^\.SH "STOP IT, AND GO ON"$/m)
    const sections = plain.split(/^\.S[SH] /m)
    for (const [words, leaf] of leavesOf(await countersign())) {
      const heading = new RegExp(`^"countersign ${words}(?: <[a-z-]+>)*"\\n`)
      const section = sections.find((each) => heading.test(each)) ?? ""
      assert.ok(section.includes(leaf.description()), words)
      for (const { long } of leaf.options) assert.ok(section.includes(long ?? "?"), words)
      for (const example of examplesIn(helpOf(leaf))) assert.ok(section.includes(example), example)
    }
  })

  it("has no line that begins as one of man(7)'s language, but for those, and only ASCII", () => {
    const ours = /^\.(?:TH|SH|SS|TP|PP|B|I|nf|fi)\b/
    const lines = page.split("\n").filter((line) => /^[.']/.test(line) && !ours.test(line))
    assert.deepEqual(lines, [])
    assert.match(page, /^[\n\x20-\x7e]*$/)
  })
})
