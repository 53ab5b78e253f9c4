import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { csvEntry, csvHead } from "../../../../src/commands/audit/export.ts"

const base = { seq: 1, id: "rec_1", at_ms: 0, hash: Buffer.alloc(32) }

function lineOf(fields: Readonly<Record<string, unknown>>): string {
  return csvEntry({ ...base, kind: "refusal", row: JSON.stringify(fields) })
}

describe("an entry as CSV", () => {
  it("has a cell for each title", () => {
    const titles = csvHead().trimEnd().split(",").length
    const [line] = lineOf({}).split(',"{') // the row alone is quoted here
    assert.equal(line!.trimEnd().split(",").length, titles)
  })

  for (const start of ["=", "+", "-", "@", "\t", "\r"]) {
    it(`has an apostrophe before what starts with ${JSON.stringify(start)}`, () => {
      assert.ok(lineOf({ client: `${start}1+1` }).includes(`'${start}1+1`))
    })
  }

  it("leaves what has such a character elsewhere, and numbers, as they are", () => {
    assert.match(lineOf({ client: "a=b", nonce: -5 }), /,a=b,.*,-5,/)
  })

  it("quotes commas, quotes and ends of lines, and tells a refusal's code and message", () => {
    const line = lineOf({ refusal: { code: "x", message: 'so, "no"\nnever' } })
    assert.match(line, /,x,/)
    assert.match(line, /,"so, ""no""\nnever",/)
    assert.ok(line.endsWith("\r\n"))
  })

  it("writes out what could move a cursor or reorder letters, in every cell", () => {
    const line = lineOf({ client: "a\u009b1mb", refusal: { code: "x", message: "\u202eon" } })
    assert.doesNotMatch(line, /[\u0080-\u009f\u202a-\u202e]/)
    assert.match(line, /,a\\u009b1mb,.*,\\u202eon,/)
  })

  it("doesn't break on a row that can't be read", () => {
    assert.match(csvEntry({ ...base, kind: "act", row: "}{" }), /^1,1970-01-01T00:00:00\.000Z,act,/)
  })
})
