import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  countShadows,
  maxShadowBytes,
  maxShadows,
} from "../../../../src/vault/watch/shadow-counts.ts"

describe("shadows", () => {
  it("are so many of a client in a second, and as many again in the next", () => {
    const shadows = countShadows()
    const taken = (atMs: number): number => {
      let count = 0
      while (shadows.take("a", 1, atMs)) count += 1
      return count
    }
    assert.equal(taken(0), maxShadows)
    assert.equal(taken(999), 0)
    assert.equal(taken(1_000), maxShadows)
  })

  it("have so many bytes of a client in a second, and one may have them all", () => {
    const shadows = countShadows()
    assert.equal(shadows.take("a", maxShadowBytes, 0), true)
    assert.equal(shadows.take("a", 1, 0), false)
    assert.equal(shadows.take("b", 1, 0), true)
  })
})
