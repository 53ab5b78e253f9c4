import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { utf8 } from "../../../src/std/bytes.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../../../src/venue/json.ts"
import { canonicalJson, type CanonicalForm } from "../../../src/venue/signing-hash.ts"

const form: CanonicalForm = { sort: "every_depth", escape: "minimal", nulls: "keep" }

function read(text: string): JsonObject {
  const parsed = parseStrictJson(utf8(text))
  assert.ok(parsed.ok && isJsonObject(parsed.value))
  return parsed.value
}

describe("canonicalJson", () => {
  it("sorts keys at every depth, in arrays too, and leaves items in their order", () => {
    const body = read('{"b":{"d":1,"c":[{"f":1,"e":2},3,1]},"a":null}')
    assert.equal(canonicalJson(body, form), '{"a":null,"b":{"c":[{"e":2,"f":1},3,1],"d":1}}')
  })

  it("sorts the keys at the top alone under top_level", () => {
    const body = read('{"b":{"d":1,"c":2},"a":1}')
    assert.equal(canonicalJson(body, { ...form, sort: "top_level" }), '{"a":1,"b":{"d":1,"c":2}}')
  })

  it("leaves out members that are null under omit, at every depth, and keeps items that are", () => {
    const body = read('{"a":null,"b":{"c":null,"d":[null]}}')
    assert.equal(canonicalJson(body, { ...form, nulls: "omit" }), '{"b":{"d":[null]}}')
  })

  it("escapes as JSON.stringify does, and no more", () => {
    const text = '\u0000\b\t\n\u000b\f\r\u001f"\\/<>&\u007f\u2028\u2029é✓😀'
    const body = { [text]: text }
    assert.equal(canonicalJson(body, form), JSON.stringify(body))
  })

  it("also escapes what HTML gives a meaning under html, in keys too", () => {
    const html: CanonicalForm = { ...form, escape: "html" }
    assert.equal(
      canonicalJson({ "<": "a<b>&\u2028\u2029é\\<" }, html),
      String.raw`{"\u003c":"a\u003cb\u003e\u0026\u2028\u2029é\\\u003c"}`,
    )
  })

  it("sorts by code point: capitals before small letters, U+FFFF before U+10000", () => {
    const body = read('{"\u{10000}":1,"\uffff":2,"a":3,"B":4,"_":5,"aa":6,"":7,"é":8}')
    assert.equal(
      canonicalJson(body, form),
      '{"":7,"B":4,"_":5,"a":3,"aa":6,"é":8,"\uffff":2,"\u{10000}":1}',
    )
  })

  it("sorts keys of digits as text", () => {
    assert.equal(canonicalJson(read('{"9":1,"10":2,"1":3}'), form), '{"1":3,"10":2,"9":1}')
  })

  it("writes integers as digits, up to the largest that is exact", () => {
    const body = read('{"a":9007199254740991,"b":-9007199254740991,"c":0}')
    assert.equal(canonicalJson(body, form), '{"a":9007199254740991,"b":-9007199254740991,"c":0}')
  })

  it("throws on what would be written as null without being null", () => {
    for (const number of [NaN, Infinity, -Infinity]) {
      assert.throws(() => canonicalJson({ a: [number] }, form), RangeError)
    }
  })
})
