import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { venueOffset } from "../../../../src/gate/upstream/exchange.ts"
import { numRuns } from "../../../support/runs.ts"

const date = "Sun, 06 Nov 1994 08:49:37 GMT"
const dateMs = Date.UTC(1994, 10, 6, 8, 49, 37)

describe("the venue's clock by a Date header", () => {
  it("is known to within the round trip and a second", () => {
    const at = { sentMs: dateMs - 30, headMs: dateMs + 20 }
    assert.deepEqual(venueOffset(date, at), { leastMs: -20, mostMs: 1_030 })
  })

  for (const bad of [
    undefined,
    "",
    "now",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 99 Abc 1994 08:49:37 GMT",
    "1994-11-06T08:49:37Z",
    `${date}, ${date}`,
    [date, date],
  ]) {
    it(`isn't told by ${JSON.stringify(bad)}`, () =>
      assert.equal(venueOffset(bad, { sentMs: 0, headMs: 1 }), undefined))
  }

  it("isn't told when our own clock was set back meanwhile", () => {
    assert.equal(venueOffset(date, { sentMs: 2, headMs: 1 }), undefined)
    assert.notEqual(venueOffset(date, { sentMs: 1, headMs: 1 }), undefined)
  })

  it("is never said to be off where it isn't, and its true offset lies within the bounds", () => {
    const ms = (max: number) => fc.nat(max)
    fc.assert(
      fc.property(
        fc.integer({ min: -100_000, max: 100_000 }),
        fc.record({ thereMs: ms(5_000), backMs: ms(5_000), startMs: ms(1_000_000) }),
        (offsetMs, { thereMs, backMs, startMs }) => {
          const sentMs = dateMs + startMs
          const venueMs = sentMs + thereMs + offsetMs
          const written = new Date(venueMs).toUTCString()
          const headMs = sentMs + thereMs + backMs
          const reading = venueOffset(written, { sentMs, headMs })
          assert.ok(reading !== undefined)
          assert.ok(reading.leastMs <= offsetMs && offsetMs <= reading.mostMs)
        },
      ),
      numRuns(500),
    )
  })
})
