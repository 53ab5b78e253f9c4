import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { keccak256 as keccakOfEthers } from "ethers"

import { toHex, utf8 } from "../../../src/std/bytes.ts"
import { keccak256 } from "../../../src/std/keccak.ts"
import { numRuns } from "../../support/runs.ts"

describe("keccak-256", () => {
  it("has the original padding, not that of SHA3-256", () => {
    assert.equal(
      toHex(keccak256(utf8(""))),
      "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    )
  })

  it("is the same as that of two other libraries around every block's end", () => {
    for (const length of [0, 1, 135, 136, 137, 271, 272, 273, 4_096]) {
      const bytes = new Uint8Array(length).fill(length % 251)
      assert.equal(toHex(keccak256(bytes)), keccakOfEthers(bytes))
      assert.deepEqual(keccak256(bytes), keccak_256(bytes))
    }
  })

  it("is the same as that of another library for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        assert.equal(toHex(keccak256(bytes)), keccakOfEthers(bytes))
      }),
      numRuns(200),
    )
  })
})
