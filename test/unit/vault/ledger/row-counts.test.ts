import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { countRows, maxRowBytes, maxRows } from "../../../../src/vault/ledger/row-counts.ts"

describe("rows that no signature stands behind", () => {
  it("are so many of a client in a second, and as many again in the next", () => {
    const rows = countRows()
    const taken = (atMs: number): number => {
      let count = 0
      while (rows.take({ client: "a", kind: "shadow", bytes: 1 }, atMs)) count += 1
      return count
    }
    assert.equal(taken(0), maxRows.shadow)
    assert.equal(taken(999), 0)
    assert.equal(taken(1_000), maxRows.shadow)
  })

  it("have so many bytes of a client in a second, and one may have them all", () => {
    const rows = countRows()
    assert.equal(rows.take({ client: "a", kind: "shadow", bytes: maxRowBytes }, 0), true)
    assert.equal(rows.take({ client: "a", kind: "shadow", bytes: 1 }, 0), false)
    assert.equal(rows.take({ client: "b", kind: "shadow", bytes: 1 }, 0), true)
    assert.equal(rows.take({ client: "a", kind: "hold", bytes: 1 }, 0), true, "another kind")
  })
})
