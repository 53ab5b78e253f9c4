import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { withSecret } from "../../../../src/std/bytes.ts"

const zeros = new Uint8Array(4)

describe("withSecret", () => {
  it("lends the bytes, passes the result on and overwrites the bytes", () => {
    const secret = Uint8Array.of(1, 2, 3, 4)
    const sum = withSecret(secret, (bytes) => bytes.reduce((total, byte) => total + byte, 0))
    assert.equal(sum, 10)
    assert.deepEqual(secret, zeros)
  })

  it("overwrites the bytes when the borrower throws", () => {
    const secret = Uint8Array.of(1, 2, 3, 4)
    const borrow = () =>
      withSecret(secret, () => {
        throw new Error("borrower failed")
      })
    assert.throws(borrow, /borrower failed/)
    assert.deepEqual(secret, zeros)
  })

  it("leaves the bytes alone until a promise is settled", async () => {
    const secret = Uint8Array.of(1, 2, 3, 4)
    const copied = await withSecret(secret, async (bytes) => {
      await new Promise((resolve) => setImmediate(resolve))
      return Uint8Array.from(bytes)
    })
    assert.deepEqual(copied, Uint8Array.of(1, 2, 3, 4))
    assert.deepEqual(secret, zeros)
  })

  it("overwrites the bytes when the promise is rejected", async () => {
    const secret = Uint8Array.of(1, 2, 3, 4)
    await assert.rejects(
      withSecret(secret, () => Promise.reject(new Error("borrower failed"))),
      /borrower failed/,
    )
    assert.deepEqual(secret, zeros)
  })
})
