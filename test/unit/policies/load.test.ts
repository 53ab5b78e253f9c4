import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../src/vault/policy/file/policy-file.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import { readRepositoryFile, repositoryRoot } from "../../support/markdown.ts"

const names = readdirSync(`${repositoryRoot}/policies`).filter((name) => name.endsWith(".yaml"))

describe("policies/", () => {
  it("load together, against the sandbox's profile", () => {
    const profile = parseProfile(
      sandboxProfile({ url: sandboxUrl, asOf: new Date(0) }),
      "venue.yaml",
    )
    assert.ok(profile.ok)
    const files = names.map((file) => ({ file, text: readRepositoryFile(`policies/${file}`) }))
    const read = parsePolicies(files, profile.value)
    assert.deepEqual(read.ok ? [] : read.error.map(problemText), [])
    assert.equal(read.ok ? read.value.length : 0, names.length - 1, "all but example.yaml")
  })

  it("have each a test", () => {
    const tests = readdirSync(import.meta.dirname)
    for (const name of names.filter((each) => each !== "example.yaml")) {
      assert.ok(tests.includes(name.replace(".yaml", ".test.ts")), name)
    }
  })

  it("say in a comment at their top what they are for", () => {
    for (const name of names) assert.match(readRepositoryFile(`policies/${name}`), /^# |^## /)
  })
})
