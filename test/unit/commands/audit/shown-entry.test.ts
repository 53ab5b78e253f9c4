import assert from "node:assert/strict"
import { it } from "node:test"

import { shownEntry } from "../../../../src/commands/audit/shown-entry.ts"
import { entryLine, parseEntryLine } from "../../../../src/vault/audit/archive-lines.ts"

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
