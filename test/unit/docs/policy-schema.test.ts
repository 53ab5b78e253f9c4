import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { describe, it } from "node:test"

import { parse } from "yaml"

import { policyJsonSchema } from "../../../packaging/policy-json-schema.ts"
import { fencedBlocks, readRepositoryFile, repositoryRoot } from "../../support/markdown.ts"
import { schemaProblems, type JsonSchema } from "./json-schema.ts"

const schema = JSON.parse(readRepositoryFile("docs/policy.schema.json")) as JsonSchema
const examples = readdirSync(`${repositoryRoot}/policies`)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => `policies/${name}`)

/** A policy as an editor reads it: numbers and booleans as such. */
function problemsOf(text: string): readonly string[] {
  return schemaProblems(parse(text), schema)
}

/** All comments of the first order taken off, so that every key is there. */
function uncommented(text: string): string {
  const lines = text.split("\n").filter((line) => !line.startsWith("##"))
  return lines.map((line) => line.replace(/^# /, "")).join("\n")
}

describe("docs/policy.schema.json", () => {
  it("is what the code makes; npm run schema writes it", () => {
    assert.deepEqual(schema, policyJsonSchema())
  })

  for (const path of examples) {
    it(`allows ${path}`, () => {
      const text = readRepositoryFile(path)
      assert.deepEqual(problemsOf(path.endsWith("example.yaml") ? uncommented(text) : text), [])
    })
  }

  it("allows every policy that the reference shows", () => {
    for (const text of fencedBlocks(readRepositoryFile("docs/policy-reference.md"), "yaml")) {
      assert.deepEqual(problemsOf(text), [])
    }
  })

  for (const [what, text, problem] of [
    ["a file without its name", "rules: []", /needs policy/],
    ["a name of other letters", "policy: Not A Name", /^\/policy: isn't like/],
    ["an unknown key", "policy: p\nrule: []", /^\/rule: is unknown/],
    ["an unknown operation", "policy: p\ndeny: [{name: d, endpoints: [sell]}]", /\/endpoints\/0/],
    ["a bound outside a rule", "policy: p\ndeny: [{name: d, max_notional: 5}]", /is unknown/],
    ["an empty list", "policy: p\nrules: []", /^\/rules: has too few items/],
    ["a limit without a window", "policy: p\nlimits: [{name: l, max: 5}]", /needs window/],
    ["a sum of no kind", "policy: p\nlimits: [{name: l, sum: all, window: 1h, max: 5}]", /kinds/],
    ["a word for a list", "policy: p\nhold: [{name: h, sides: buy}]", /\/sides: isn't array/],
  ] as const) {
    it(`tells ${what}`, () => {
      const problems = problemsOf(text)
      assert.ok(
        problems.some((each) => problem.test(each)),
        problems.join("\n"),
      )
    })
  }
})
