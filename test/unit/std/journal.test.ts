import assert from "node:assert/strict"
import { fstatSync } from "node:fs"
import { describe, it } from "node:test"

import { isUnderJournal, journalPrefix } from "../../../src/std/log.ts"

describe("a line for the journal", () => {
  it("begins with its priority, as sd-daemon(3) has it", () => {
    const levels = ["error", "warn", "info", "debug"] as const
    assert.deepEqual(levels.map(journalPrefix), ["<3>", "<4>", "<6>", "<7>"])
  })

  it("is for a stdout that goes there, and not for another that a service handed on", () => {
    const { dev, ino } = fstatSync(process.stdout.fd, { bigint: true })
    assert.equal(isUnderJournal({ JOURNAL_STREAM: `${dev}:${ino}` }), true)
    assert.equal(isUnderJournal({ JOURNAL_STREAM: `${dev}:${ino + 1n}` }), false)
    assert.equal(isUnderJournal({}), false)
  })
})
