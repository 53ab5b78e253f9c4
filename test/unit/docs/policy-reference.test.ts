import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { defaultMaxValidDays } from "../../../src/vault/policy/approve-agent-rule.ts"
import { readPolicies } from "../../../src/vault/policy/policy-file.ts"
import { readProfile } from "../../../src/venue/profile-file.ts"
import { operationIds, type Profile } from "../../../src/venue/profile.ts"
import {
  codesIn,
  fencedBlocks,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"

const page = readRepositoryFile("docs/policy-reference.md")
const schemaSource = readRepositoryFile("src/vault/policy/policy-schema.ts")

const matchers = firstCodes("Matchers: in `rules` and `deny`")
const bounds = [...firstCodes("Sizes: in `rules`"), ...firstCodes("approveAgent: in `rules`")]

describe("docs/policy-reference.md", () => {
  it("shows policies that load, alone and together", () => {
    const blocks = fencedBlocks(page, "yaml")
    assert.ok(blocks.length > 3)
    const files = blocks.map((text, index) => ({ file: `${index}.yaml`, text }))
    for (const file of files) assertLoads([file])
    assertLoads(files)
  })

  it("lists every key of an entry, and no other", () => {
    assert.deepEqual(matchers, keysOf("matcherShape"))
    assert.deepEqual(bounds, keysOf("boundShape"))
  })

  it("lists every key of a file, and no other", () => {
    const written = /\.strictObject\(\s*\{([^}]*)\}/.exec(schemaSource)?.[1] ?? ""
    const keys = [...written.matchAll(/(\w+): /g)].map(([, key]) => key ?? "")
    assert.deepEqual(firstCodes("Top-level keys"), keys)
  })

  it("names every operation", () => {
    const named = codesIn(page)
    for (const id of operationIds) assert.ok(named.includes(id), id)
  })

  it("says of keys that aren't there yet what loading says", () => {
    const missing = codesIn(sectionOf(page, "Not there yet"))
    assert.ok(missing.length > 10)
    for (const key of missing) {
      const inRule = `policy: p\nrules:\n  - {name: r, endpoints: [placeOrder], ${key}: "1"}\n`
      const onTop = `policy: p\n${key}: []\n`
      for (const text of [inRule, onTop]) {
        const problems = problemsOf([{ file: "p.yaml", text }])
        assert.ok(problems.includes(`unknown key "${key}"`), problems)
      }
    }
  })

  it("gives the days that an approval may have without the key", () => {
    const row = tableRows(page).find(([key]) => key === "`max_valid_days`")
    assert.match(row?.[1] ?? "", new RegExp(`\`${defaultMaxValidDays}\``))
  })
})

type PolicyFile = { readonly file: string; readonly text: string }

function problemsOf(files: readonly PolicyFile[]): string {
  const read = readPolicies(files, profile())
  return read.ok ? "" : read.error.map(problemText).join("\n")
}

function assertLoads(files: readonly PolicyFile[]): void {
  assert.equal(problemsOf(files), "")
}

/** The sandbox's, which has the symbols that the page names. */
function profile(): Profile {
  const text = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })
  const read = readProfile(text, "venue.yaml")
  assert.ok(read.ok)
  return read.value
}

function firstCodes(title: string): readonly string[] {
  const top = sectionOf(page, title).split("\n### ")[0] ?? ""
  return tableRows(top).flatMap(([first = ""]) => codesIn(first))
}

/** The keys in the object that one of the schema's functions returns; an entry's name is told apart. */
function keysOf(shape: string): readonly string[] {
  const body = schemaSource.split(`function ${shape}(`)[1]?.split("\n}\n")[0] ?? ""
  return [...body.matchAll(/^ {4}(\w+): /gm)]
    .map(([, key]) => key ?? "")
    .filter((key) => key !== "name")
}
