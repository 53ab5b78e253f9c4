import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { demanded } from "../../../../../src/vault/ledger/postgres/tables.ts"

describe("how many standbys a commit waits for", () => {
  for (const [standbys, count] of [
    ["", 0],
    ["  ", 0],
    ["b", 1],
    ["b, c", 1],
    ["*", 1],
    ['"FIRST"', 1],
    ["1 (b)", 1],
    ["2 (b, c)", 2],
    ["FIRST 2 (b, c)", 2],
    ["first 3 (b, c, d)", 3],
    ["ANY 1 (b, c)", 1],
    ["any 2(*)", 2],
  ] as const) {
    it(`is ${count} by synchronous_standby_names = '${standbys}'`, () => {
      assert.equal(demanded(standbys), count)
    })
  }
})
