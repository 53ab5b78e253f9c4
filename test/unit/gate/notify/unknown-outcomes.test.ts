import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { unknownOutcomes } from "../../../../src/gate/notify/unknown-outcomes.ts"

describe("unknown outcomes", () => {
  it("are told at once, each with its record, and never that they are over", () => {
    const unknown = unknownOutcomes()
    assert.deepEqual(unknown.take(0), [])
    unknown.note("rec_1")
    unknown.note("rec_2")
    const taken = unknown.take(0)
    assert.deepEqual(
      taken.map(({ state, alarm: { name, subject } }) => [state, name, subject]),
      [
        ["raised", "outcome_unknown", "rec_1"],
        ["raised", "outcome_unknown", "rec_2"],
      ],
    )
    assert.match(taken[0]?.alarm.fact ?? "", /rec_1/)
    assert.deepEqual(unknown.take(1), [])
  })

  it("of the minute after that are told together when it is over", () => {
    const unknown = unknownOutcomes()
    unknown.note("rec_1")
    unknown.take(1_000)
    unknown.note("rec_2")
    assert.deepEqual(unknown.take(1_001), [])
    unknown.note("rec_3")
    assert.deepEqual(unknown.take(60_999), [])
    assert.equal(unknown.take(61_000).length, 2)
    unknown.note("rec_4")
    assert.deepEqual(unknown.take(120_999), [])
    assert.equal(unknown.take(121_000).length, 1)
  })

  it("that are forgotten aren't told, and keep the next ones from nothing", () => {
    const unknown = unknownOutcomes()
    unknown.note("rec_1")
    unknown.forget()
    assert.deepEqual(unknown.take(0), [])
    unknown.note("rec_2")
    assert.equal(unknown.take(1)[0]?.alarm.subject, "rec_2")
  })

  it("count a record once, and keep no more than 10,000", () => {
    const unknown = unknownOutcomes()
    for (let n = 0; n < 10_001; n += 1) unknown.note(`rec_${n}`)
    unknown.note("rec_0")
    assert.equal(unknown.take(0).length, 10_000)
    unknown.note("rec_1")
    unknown.note("rec_1")
    assert.equal(unknown.take(60_000).length, 1)
  })
})
