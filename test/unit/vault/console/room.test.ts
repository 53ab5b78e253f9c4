import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { roomOf } from "../../../../src/vault/console/room.ts"

describe("the room of a message", () => {
  it("takes what fits, to the byte, and leaves out the rest from there on", () => {
    // "ab" is 4 bytes of JSON, and a comma.
    assert.deepEqual(roomOf(10)(["ab", "ab"], 9), ["ab", "ab"])
    assert.deepEqual(roomOf(9)(["ab", "ab"], 9), ["ab"])
    assert.deepEqual(roomOf(9)(["é", "é", ""], 9), ["é"])
    assert.deepEqual(roomOf(9)([], 9), [])
  })

  it("is shared by its lists", () => {
    const room = roomOf(14)
    assert.deepEqual(room(["ab"], 9), ["ab"])
    assert.deepEqual(room(["ab", "ab"], 9), ["ab"])
  })

  it("takes no more than so many of a list", () => {
    assert.deepEqual(roomOf(1_000)([1, 2, 3], 2), [1, 2])
    assert.deepEqual(roomOf(1_000)([1, 2, 3], 3), [1, 2, 3])
  })
})
