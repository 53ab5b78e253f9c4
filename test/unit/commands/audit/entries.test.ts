import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { entryWords, shownEntry } from "../../../../src/commands/audit/entries.ts"
import { entryLine, parseEntryLine } from "../../../../src/audit/archive-lines.ts"

describe("entries in lines", () => {
  it("have their columns below each other, whatever their numbers", () => {
    const columns = [1, 10, 999_999].map((seq) => {
      const line = entryWords({
        ...{ seq, at_ms: 0, kind: "outcome", id: "rec_1", hash: new Uint8Array() },
        row: JSON.stringify({ outcome: "sent", record: "rec_1" }),
      })
      assert.match(line, / {2}outcome {5}sent {2}rec_1$/)
      return line.indexOf("outcome")
    })
    assert.equal(new Set(columns).size, 1)
  })
})

const fields = { seq: 1, id: "rec_1", kind: "refusal", at_ms: 0 }

it("shows an entry as one line of JSON, with the same values and nothing that moves a cursor", () => {
  const row = JSON.stringify({ ...fields, label: "a\u009b2J\u202eb\u{e0041}\n\u001b[0m" })
  const entry = { ...fields, row, hash: Buffer.alloc(32, 7) }
  const line = shownEntry(entry)
  assert.match(line, /^[\x20-\x7e]+\n$/)
  assert.deepEqual(JSON.parse(line), JSON.parse(entryLine(entry)))
  assert.ok(parseEntryLine(line.trimEnd()))
})

it("shows a row without any of that exactly as it is chained", () => {
  const entry = {
    ...fields,
    row: JSON.stringify({ ...fields, label: "mm → 7" }),
    hash: Buffer.alloc(32),
  }
  assert.equal(shownEntry(entry), entryLine(entry))
})
