import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { unknownOutcomes } from "../../../../src/gate/notify/notify.ts"

describe("unknown outcomes", () => {
  it("are there until everyone was told of them, each with its record", () => {
    const unknown = unknownOutcomes()
    assert.deepEqual(unknown.now(), [])
    unknown.note("rec_1")
    unknown.note("rec_2")
    assert.deepEqual(
      unknown.now().map(({ name, subject, stands }) => [name, subject, stands]),
      [
        ["outcome_unknown", "rec_1", false],
        ["outcome_unknown", "rec_2", false],
      ],
    )
    assert.match(unknown.now()[0]?.fact ?? "", /rec_1/)
    unknown.forget(({ subject }) => subject === "rec_1")
    assert.deepEqual(
      unknown.now().map(({ subject }) => subject),
      ["rec_2"],
    )
  })

  it("count a record once, and keep no more than 10,000", () => {
    const unknown = unknownOutcomes()
    for (let n = 0; n < 10_001; n += 1) unknown.note(`rec_${n}`)
    unknown.note("rec_0")
    assert.equal(unknown.now().length, 10_000)
    unknown.forget(() => true)
    unknown.note("rec_1")
    unknown.note("rec_1")
    assert.equal(unknown.now().length, 1)
  })
})
