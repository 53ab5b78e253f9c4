import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { policyJsonSchema } from "../../../packaging/policy-json-schema.ts"

type Json = Readonly<Record<string, unknown>>

const schema = policyJsonSchema() as Json

/** The schema at a path of properties, through lists into their items. */
function at(...path: readonly string[]): Json {
  return path.reduce((json, key) => {
    const owner = (json["items"] ?? json) as { readonly properties?: Record<string, Json> }
    const found = owner.properties?.[key]
    assert.ok(found, path.join("."))
    return found
  }, schema)
}

/** Every property of the schema at any depth, by where it is. */
function everyProperty(json: unknown, path = ""): readonly (readonly [string, Json])[] {
  if (Array.isArray(json))
    return json.flatMap((item, index) => everyProperty(item, `${path}/${index}`))
  if (typeof json !== "object" || json === null) return []
  const { properties = {}, ...rest } = json as Json & { readonly properties?: Record<string, Json> }
  const here = Object.entries(properties).map(([key, value]) => [`${path}/${key}`, value] as const)
  const below = here.flatMap(([place, value]) => everyProperty(value, place))
  const inside = Object.entries(rest)
    .filter(([key]) => key !== "examples")
    .flatMap(([key, value]) => everyProperty(value, `${path}(${key})`))
  return [...here, ...below, ...inside]
}

describe("the JSON Schema of a policy file", () => {
  it("says of every key what it means in one sentence, with an example", () => {
    const properties = everyProperty(schema)
    assert.ok(properties.length > 100)
    for (const [place, { description, examples }] of properties) {
      assert.equal(typeof description, "string", place)
      assert.match(String(description), /^[A-Z].*\.$/, place)
      assert.ok(Array.isArray(examples) && examples.length === 1, place)
    }
  })

  it("is JSON, and holds nothing that only our reader understands", () => {
    assert.deepEqual(JSON.parse(JSON.stringify(schema)), schema)
    const text = JSON.stringify(schema)
    for (const word of ['"written":', '"options":', '"refused":', '"example":']) {
      assert.equal(text.includes(word), false, word)
    }
    assert.equal(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
  })

  it("admits no other key anywhere", () => {
    assert.equal(schema["additionalProperties"], false)
    for (const list of ["rules", "deny", "limits", "hold"]) {
      const items = at(list)["items"] as Json
      assert.equal(items["additionalProperties"], false, list)
    }
  })

  it("asks for what a file and its entries must have", () => {
    const requiredOf = (json: Json) => [...(json["required"] as string[])].sort()
    assert.deepEqual(requiredOf(schema), ["policy"])
    assert.deepEqual(requiredOf(at("rules")["items"] as Json), ["name"])
    assert.deepEqual(requiredOf(at("limits")["items"] as Json), ["max", "name", "window"])
    assert.deepEqual(requiredOf(at("rules", "hours")), ["zone"])
  })

  it("takes symbols as any text, and numbers as they are written with or without quotes", () => {
    assert.deepEqual(at("rules", "symbols")["items"], { type: ["string", "integer"] })
    assert.deepEqual(at("limits", "max")["type"], ["string", "number"])
    const number = { type: ["string", "number"] }
    assert.deepEqual(at("rules", "max_notional")["anyOf"], [
      number,
      { type: "object", additionalProperties: number },
    ])
  })

  it("offers a rule's bounds in rules alone", () => {
    assert.ok(at("rules", "max_quantity"))
    for (const list of ["deny", "limits", "hold"]) {
      const { properties } = at(list)["items"] as { readonly properties: Record<string, Json> }
      assert.equal("max_quantity" in properties, false, list)
      assert.ok("where" in properties, list)
    }
  })
})
