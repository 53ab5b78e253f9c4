import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { policyWarnings } from "../../../src/commands/policy/file-warnings.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../src/vault/policy/file/policy-file.ts"
import type { Profile } from "../../../src/venue/profile.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot } from "../../support/markdown.ts"

/** Every policy that is shown to users, by where it is. */
const examples = [...inPages(), ...inPolicies()]

describe("every policy that is shown", () => {
  it("is found", () => {
    assert.ok(examples.length > 15, `${examples.length}`)
    for (const page of ["README.md", "docs/policies.md", "docs/policy-reference.md"])
      assert.ok(
        examples.some(({ where }) => where.startsWith(page)),
        page,
      )
  })

  for (const { where, text } of examples) {
    it(`passes policy check --strict: ${where}`, () => {
      const profile = profileOf()
      const read = parsePolicies([{ file: where, text }], profile)
      assert.ok(read.ok, read.ok ? "" : read.error.map(problemText).join("\n"))
      assert.deepEqual(policyWarnings({ policies: read.value, profile }), [])
    })
  }
})

function inPages() {
  const pages = readdirSync(join(repositoryRoot, "docs")).filter((name) => name.endsWith(".md"))
  return ["README.md", ...pages.map((name) => `docs/${name}`)].flatMap((page) => {
    const text = readRepositoryFile(page)
    return [...fencedBlocks(text, "yaml"), ...written(text)]
      .filter((each) => /^policy: /m.test(each))
      .map((each, index) => ({ where: `${page} ${index + 1}`, text: each }))
  })
}

/** What a page's commands write into a file. */
function written(page: string): readonly string[] {
  return [...page.matchAll(/<<'YAML'\n([^]*?\n)(?:> )?YAML\n/g)].map(([, text = ""]) =>
    text.replaceAll(/^> /gm, ""),
  )
}

/** `example.yaml` as it is once its comments are taken off. */
function inPolicies() {
  const names = readdirSync(join(repositoryRoot, "policies")).filter((name) =>
    name.endsWith(".yaml"),
  )
  return names.map((name) => {
    const text = readRepositoryFile(`policies/${name}`)
    const isCommented = name === "example.yaml"
    return { where: `policies/${name}`, text: isCommented ? text.replaceAll(/^# /gm, "") : text }
  })
}

/** The sandbox's, which can sign most operations. */
function profileOf(): Profile {
  const read = parseProfile(sandboxProfile({ url: sandboxUrl, asOf: new Date(0) }), "venue.yaml")
  assert.ok(read.ok)
  return read.value
}
