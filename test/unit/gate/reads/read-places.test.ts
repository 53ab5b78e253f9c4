import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openReadPlaces } from "../../../../src/gate/reads/venue-reads.ts"

const limits = { maxReads: 4, maxStreams: 3, maxStreamsOfOne: 2 }

describe("places for reads", () => {
  it("are as many as there may be reads, streams among them, and come back", () => {
    const places = openReadPlaces(limits)
    const leave = places.take("a", true)
    for (const token of ["a", "a", "b"]) assert.ok(places.take(token, false), token)
    assert.equal(places.take("a", false), undefined)
    leave?.()
    assert.ok(places.take("a", false))
  })

  it("let one token have some of the streams, and leave the others to others", () => {
    const places = openReadPlaces(limits)
    const leave = places.take("a", true)
    assert.ok(places.take("a", true))
    assert.equal(places.take("a", true), undefined)
    assert.ok(places.take("b", true))
    assert.equal(places.take("b", true), undefined, "three in all")
    leave?.()
    assert.ok(places.take("a", true))
    assert.equal(places.take("b", true), undefined)
  })
})
