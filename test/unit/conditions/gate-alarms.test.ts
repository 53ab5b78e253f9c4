import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  refusalAlarms,
  unansweredSeconds,
  venueAlarms,
} from "../../../src/conditions/gate-alarms.ts"

describe("the alarm of a venue that can't be reached", () => {
  const silent = { sinceMs: 1_000, tries: 2, why: "ECONNREFUSED" }

  it("comes after 30 s in which two tries or more weren't answered", () => {
    const comes = (tries: number, nowMs: number) => venueAlarms({ ...silent, tries }, nowMs).length
    assert.deepEqual([comes(2, 30_999), comes(2, 31_000), comes(1, 31_000)], [0, 1, 0])
    assert.deepEqual(venueAlarms(undefined, 31_000), [])
  })

  it("says why, and since when", () => {
    const [alarm] = venueAlarms(silent, 31_000)
    assert.deepEqual([alarm?.severity, alarm?.since], ["critical", 1_000])
    assert.match(alarm?.fact ?? "", /can't be reached \(ECONNREFUSED\)/)
  })

  it("has a metric that is 0 while the venue answers, and after one try", () => {
    assert.equal(unansweredSeconds(silent, 31_000), 30)
    assert.equal(unansweredSeconds({ ...silent, tries: 1 }, 31_000), 0)
    assert.equal(unansweredSeconds(undefined, 31_000), 0)
    assert.equal(unansweredSeconds(silent, 0), 0, "the clock was set back")
  })
})

describe("the alarm of much that is refused", () => {
  const cases = [
    { decided: 59, refused: 30, comes: 1 },
    { decided: 60, refused: 30, comes: 0 },
    { decided: 29, refused: 29, comes: 0 },
    { decided: 30, refused: 30, comes: 1 },
  ]
  for (const { decided, refused, comes } of cases) {
    it(`${comes ? "comes" : "doesn't come"} with ${refused} of ${decided} refused for one reason`, () => {
      const reasons = new Map([["limit_exhausted", refused]])
      const alarms = refusalAlarms([{ client: "mm", decided, refused: reasons }])
      assert.deepEqual(
        alarms.map(({ subject }) => subject),
        comes ? ["mm limit_exhausted"] : [],
      )
    })
  }

  it("is of each client and reason by itself", () => {
    const told = refusalAlarms([
      {
        client: "a",
        decided: 40,
        refused: new Map([
          ["no_rule_matches", 39],
          ["frozen", 1],
        ]),
      },
      {
        client: "b",
        decided: 60,
        refused: new Map([
          ["no_rule_matches", 30],
          ["frozen", 30],
        ]),
      },
      { client: "c", decided: 30, refused: new Map([["frozen", 30]]) },
    ])
    assert.deepEqual(
      told.map(({ subject }) => subject),
      ["a no_rule_matches", "c frozen"],
    )
  })
})
