import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parse } from "yaml"

import { pathTo, venueJsonSchema, venueMaps } from "../../../packaging/venue/venue-json-schema.ts"
import { titleOf, withVenueTables } from "../../../packaging/venue/venue-key-tables.ts"
import { venueKeys } from "../../../packaging/venue/venue-keys.ts"
import { mainVenueText } from "../../../src/commands/init/init-texts.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { operationIds, type OperationId } from "../../../src/venue/profile.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import {
  codesIn,
  fencedBlocks,
  readRepositoryFile,
  sectionOf,
  tableRows,
} from "../../support/markdown.ts"
import { schemaProblems, type JsonSchema } from "./json-schema.ts"

const page = readRepositoryFile("docs/venue.md")
const schema = JSON.parse(readRepositoryFile("docs/venue.schema.json")) as JsonSchema
const maps = venueMaps()
const examples = fencedBlocks(page, "yaml")
const sandbox = sandboxProfile({ url: sandboxUrl, asOf: new Date(0) })

describe("docs/venue.md", () => {
  it("has something to say of every key that venue.yaml can have, and of no other", () => {
    const paths = maps.flatMap(({ path, keys }) =>
      Object.keys(keys).map((key) => pathTo(path, key)),
    )
    assert.ok(paths.length > 40)
    assert.deepEqual(Object.keys(venueKeys).sort(), paths.sort())
  })

  for (const { path, keys } of maps) {
    it(`has the table under "${titleOf(path)}" that the code makes; npm run schema writes it`, () => {
      const rows = firstTable(page, path)
      assert.deepEqual(rows, firstTable(withVenueTables(page), path))
      assert.deepEqual(
        rows.map(([key]) => key),
        Object.keys(keys).map((key) => `\`${key}\``),
      )
      for (const cell of rows.flat()) assert.notEqual(cell, "")
    })
  }

  it("shows every key in an example", () => {
    const shown = new Set(examples.flatMap((text) => pathsIn(parse(text), "")))
    for (const path of Object.keys(venueKeys)) assert.ok(shown.has(path), path)
  })

  it("shows files that load", () => {
    for (const text of examples) assert.deepEqual(loadProblems(text), [])
  })

  it("names every operation, and gives each the keys that it takes", () => {
    const rows = tableRows(sectionOf(page, titleOf("endpoints"))).filter(
      ([operations = ""]) => operationsIn(operations).length > 0,
    )
    const named = rows.flatMap(([operations = ""]) => operationsIn(operations))
    const disclosed: readonly OperationId[] = ["placeOrder", "approveAgent"]
    assert.deepEqual([...named, ...disclosed].sort(), [...operationIds].sort())
    for (const [operations = "", keys = ""] of rows) {
      for (const id of operationsIn(operations)) assertTakes(id, codesIn(keys))
    }
  })
})

describe("docs/venue.schema.json", () => {
  it("is what the code makes; npm run schema writes it", () => {
    assert.deepEqual(schema, venueJsonSchema())
  })

  it("allows what init writes, and every file that the page shows", () => {
    const main = mainVenueText("https://venue.example")
    for (const text of [main, mainVenueText(undefined), sandbox, ...examples])
      assert.deepEqual(schemaProblems(parse(text), schema), [])
  })

  for (const [what, text, problem] of [
    ["a file that extends nothing", "base_url: https://a.example", /needs extends/],
    ["an unknown key", "extends: builtin\nsymbol: []", /^\/symbol: is unknown/],
    ["an unknown operation", "extends: builtin\nendpoints: {sell: {}}", /^\/endpoints\/sell: /],
    ["a tag of 256", "extends: builtin\nendpoints: {cancelAll: {action_tag: 256}}", /too large/],
    ["a chain id of 0", "extends: builtin\ndomain: {chain_id: 0}", /too small/],
    ["a word for a list", "extends: builtin\nreads: {market: /v1/a}", /isn't array/],
    ["another domain", "extends: builtin\ndomain: {name: Other}", /^\/domain\/name: isn't Service/],
    [
      "a symbol without its id",
      "extends: builtin\nsymbols: [{name: A}]",
      /^\/symbols\/0: needs id/,
    ],
  ] as const) {
    it(`tells ${what}, as the daemon does`, () => {
      const problems = schemaProblems(parse(text), schema)
      assert.ok(
        problems.some((each) => problem.test(each)),
        problems.join("\n"),
      )
      assert.notDeepEqual(loadProblems(text), [])
    })
  }
})

function firstTable(text: string, path: string): readonly (readonly string[])[] {
  const [first = ""] = /(?:^\|.*\n)+/m.exec(sectionOf(text, titleOf(path))) ?? []
  return tableRows(first)
}

function loadProblems(text: string): readonly string[] {
  const read = parseProfile(text, "venue.yaml")
  return read.ok ? [] : read.error.map(problemText)
}

function operationsIn(text: string): readonly OperationId[] {
  return operationIds.filter((id) => codesIn(text).includes(id))
}

/** The daemon refuses a layout key in an operation that doesn't take it by a sentence of its own. */
function assertTakes(id: OperationId, keys: readonly string[]): void {
  for (const [key, value] of Object.entries(layout)) {
    const [problem = ""] = loadProblems(`extends: builtin\nendpoints: {${id}: {${key}: ${value}}}`)
    const isRefused = problem.includes(`not of ${id}; remove it`)
    assert.equal(isRefused, !keys.includes(key), `${id} ${key}: ${problem}`)
  }
}

const layout = {
  items: "/a",
  item_like: "placeOrder",
  like: "placeOrder",
  order_id: "/id",
  fields: "[a]",
  applies_flags: "true",
}

/** The paths of all keys, as venueKeys has them: without steps into lists, of operations, and of accounts' names. */
function pathsIn(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, path))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => {
    const at = pathTo(path, key)
    const isByName = ["endpoints", "extra_fields", "account.accounts"].includes(at)
    return [at, ...pathsIn(isByName ? Object.values(each as object) : each, at)]
  })
}
