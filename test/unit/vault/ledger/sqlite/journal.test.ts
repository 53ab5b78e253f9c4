import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { canonicalRow } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import { numRuns } from "../../../../support/runs.ts"

/** A row needn't be one of the ledger's here. */
const write = (row: object): string => canonicalRow(row as Parameters<typeof canonicalRow>[0])

describe("canonicalRow", () => {
  it("sorts keys at every depth, and leaves lists as they are", () => {
    const row = { b: [{ d: 1, c: [3, 2] }, null], a: { z: "", y: true } }
    assert.equal(write(row), '{"a":{"y":true,"z":""},"b":[{"c":[3,2],"d":1},null]}')
  })

  it("leaves out what isn't there", () => {
    assert.equal(write({ b: undefined, a: 1 }), '{"a":1}')
  })

  it("writes whatever key a row has", () => {
    const row = JSON.parse('{"__proto__":{"constructor":1},"a":1}') as object
    assert.equal(write(row), '{"__proto__":{"constructor":1},"a":1}')
  })

  it("writes the same as JSON.stringify does of a row whose keys are sorted one by one", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (row) => {
        assert.equal(
          write(row),
          JSON.stringify(row, (_key, value: unknown) => sorted(value)),
        )
      }),
      numRuns(500),
    )
  })
})

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
