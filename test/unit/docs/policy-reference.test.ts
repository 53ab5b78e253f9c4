import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { policyJsonSchema } from "../../../packaging/policy-json-schema.ts"
import { withMatcherTable } from "../../../packaging/policy-matcher-table.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { parsePolicies } from "../../../src/vault/policy/file/policy-file.ts"
import { operationIds, type Profile } from "../../../src/venue/profile.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import {
  codesIn,
  fencedBlocks,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"

const page = readRepositoryFile("docs/policy-reference.md")

type Schema = {
  readonly description?: string
  readonly properties?: Keys
  readonly items?: Schema
}
type Keys = Readonly<Record<string, Schema>>

const file = keysOf(policyJsonSchema())
const rules = keysOf(file["rules"]?.items)
const matchers = without(keysOf(file["deny"]?.items), ["name", "over_quantity", "over_notional"])
const bounds = without(rules, ["name", ...Object.keys(matchers)])
const approval = ["agent_addresses", "authorized_addresses", "max_valid_days"]

/** Each table of keys, with the part of the schema that it shows. */
const tables: readonly { readonly title: string; readonly keys: Keys }[] = [
  { title: "Top-level keys", keys: file },
  { title: "Keys of applies_to", keys: keysOf(file["applies_to"]) },
  { title: "Matchers: in every list", keys: matchers },
  { title: "Keys of hours", keys: keysOf(matchers["hours"]) },
  { title: "Keys of where", keys: keysOf(matchers["where"]?.items) },
  { title: "Sizes, prices and time: in `rules`", keys: without(bounds, approval) },
  {
    title: "approveAgent: in `rules`",
    keys: without(bounds, Object.keys(without(bounds, approval))),
  },
  { title: "Limits", keys: without(keysOf(file["limits"]?.items), ["name", ...names(matchers)]) },
  { title: "Hold", keys: without(keysOf(file["hold"]?.items), ["name", ...names(matchers)]) },
]

describe("docs/policy-reference.md", () => {
  for (const { title, keys } of tables) {
    it(`lists every key under "${title}" with what the schema says of it, and no other`, () => {
      assert.ok(names(keys).length > 0)
      const rows = keyRows(title)
      assert.deepEqual(
        rows.map(([key]) => key),
        names(keys).map((name) => `\`${name}\``),
      )
      for (const [index, name] of names(keys).entries()) {
        const meaning = rows[index]?.[2] ?? ""
        assert.ok(meaning.startsWith(keys[name]?.description ?? "?"), `${name}: ${meaning}`)
      }
    })
  }

  it("has the table of matchers that the code makes; npm run schema writes it", () => {
    const title = "Matchers: in every list"
    const made = tableRows(sectionOf(withMatcherTable(page), title))
    assert.deepEqual(tableRows(sectionOf(page, title)), made)
  })

  it("has the matchers alike in every list", () => {
    for (const list of ["rules", "limits", "hold"]) {
      const own = keysOf(file[list]?.items)
      for (const name of names(matchers)) assert.deepEqual(own[name], matchers[name], name)
    }
  })

  it("shows policies that load, alone and together", () => {
    const blocks = fencedBlocks(page, "yaml")
    assert.ok(blocks.length > 6)
    const files = blocks.map((text, index) => ({ file: `${index}.yaml`, text }))
    for (const each of files) assertLoads([each])
    assertLoads(files)
  })

  it("names every operation", () => {
    const named = codesIn(page)
    for (const id of operationIds) assert.ok(named.includes(id), id)
  })
})

function keysOf(schema: Schema | undefined): Keys {
  assert.ok(schema?.properties)
  return schema.properties
}

function names(keys: Keys): readonly string[] {
  return Object.keys(keys)
}

function without(keys: Keys, left: readonly string[]): Keys {
  return Object.fromEntries(Object.entries(keys).filter(([name]) => !left.includes(name)))
}

/** The rows of the first table under a heading, which is the one of its keys. */
function keyRows(title: string): readonly (readonly string[])[] {
  const [first = ""] = /(?:^\|.*\n)+/m.exec(sectionOf(page, title)) ?? []
  return tableRows(first)
}

type PolicyFile = { readonly file: string; readonly text: string }

function assertLoads(files: readonly PolicyFile[]): void {
  const read = parsePolicies(files, profile())
  assert.equal(read.ok ? "" : read.error.map(problemText).join("\n"), "")
}

/** The sandbox's, which has the symbols that the page names. */
function profile(): Profile {
  const text = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })
  const read = parseProfile(text, "venue.yaml")
  assert.ok(read.ok)
  return read.value
}
