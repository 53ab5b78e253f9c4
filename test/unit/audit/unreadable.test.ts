import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { unreadable } from "../../../src/audit/check-ledger.ts"

/** As node:sqlite throws: https://www.sqlite.org/rescode.html. */
const thrown = (errcode: number) => Object.assign(new Error("said by SQLite"), { errcode })

describe("an entry that can't be read", () => {
  const ofMachine = { busy: 5, memory: 7, readOnly: 8, inputOutput: 10, full: 13, cannotOpen: 14 }
  for (const [what, code] of Object.entries(ofMachine)) {
    it(`isn't called broken where the machine failed: ${what}, and any extended code of it`, () => {
      assert.equal(unreadable(thrown(code), 7).isUnread, true)
      assert.equal(unreadable(thrown(code | (3 << 8)), 7).isUnread, true)
    })
  }

  for (const [what, code] of Object.entries({ corrupt: 11, notADatabase: 26, error: 1 })) {
    it(`is broken where the file is: ${what}`, () => {
      assert.deepEqual(unreadable(thrown(code), 7), {
        seq: 7,
        id: null,
        what: "it can't be read (said by SQLite)",
      })
    })
  }
})
