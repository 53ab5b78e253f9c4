import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { utf8 } from "../../src/std/bytes.ts"
import { type JsonObject, type JsonValue, parseStrictJson } from "../../src/venue/json.ts"
import { canonicalJson, type CanonicalForm } from "../../src/venue/signing-hash.ts"
import { arbitraryJsonObject } from "../support/arbitrary-json.ts"
import { numRuns } from "../support/runs.ts"

const form: CanonicalForm = { sort: "every_depth", escape: "minimal", nulls: "keep" }
const html: CanonicalForm = { ...form, escape: "html" }

describe("canonical JSON, for any body,", () => {
  it("reads back as the same body, through the strict reader and JSON.parse", () => {
    const property = fc.property(arbitraryJsonObject(), fc.constantFrom(form, html), (body, as) => {
      const text = canonicalJson(body, as)
      const parsed = parseStrictJson(utf8(text))
      assert.ok(parsed.ok)
      assert.deepEqual(structuredClone(parsed.value), body)
      assert.deepEqual(JSON.parse(text), body)
      // Written once more, from what was read, it is the same text.
      assert.equal(canonicalJson(parsed.value as JsonObject, as), text)
    })
    fc.assert(property, numRuns(500))
  })

  it("is compact JSON whose keys stand in the order of their bytes at every depth", () => {
    const property = fc.property(arbitraryJsonObject(), (body) => {
      assert.equal(canonicalJson(body, form), sortedText(body))
    })
    fc.assert(property, numRuns(1000))
  })

  it("is the same whatever the order in which keys were added", () => {
    const property = fc.property(arbitraryJsonObject(), (body) => {
      assert.equal(canonicalJson(reversed(body) as JsonObject, form), canonicalJson(body, form))
    })
    fc.assert(property, numRuns(500))
  })

  it("holds none of the characters that HTML gives a meaning, under html", () => {
    const property = fc.property(arbitraryJsonObject(), (body) => {
      assert.doesNotMatch(canonicalJson(body, html), /[<>&\u2028\u2029]/)
    })
    fc.assert(property, numRuns(300))
  })

  it("holds no member that is null, under omit", () => {
    const property = fc.property(arbitraryJsonObject(), (body) => {
      const text = canonicalJson(body, { ...form, nulls: "omit" })
      assert.equal(text, sortedText(withoutNulls(body)))
    })
    fc.assert(property, numRuns(300))
  })
})

/** Written here once more, by bytes: UTF-8 sorts as code points do. */
function sortedText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${(value as JsonValue[]).map(sortedText).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const members = Object.entries(value as JsonObject)
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([key, member]) => `${JSON.stringify(key)}:${sortedText(member)}`)
  return `{${members.join(",")}}`
}

function reversed(value: JsonValue): JsonValue {
  return mapObjects(value, (entries) => entries.reverse())
}

function withoutNulls(value: JsonValue): JsonValue {
  return mapObjects(value, (entries) => entries.filter(([, member]) => member !== null))
}

type Entries = [string, JsonValue][]

function mapObjects(value: JsonValue, change: (entries: Entries) => Entries): JsonValue {
  if (Array.isArray(value)) return (value as JsonValue[]).map((item) => mapObjects(item, change))
  if (typeof value !== "object" || value === null) return value
  const entries = change(Object.entries(value as JsonObject))
  return Object.fromEntries(entries.map(([key, member]) => [key, mapObjects(member, change)]))
}
