import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { alarmChanges, lingerMs, type Change } from "../../../../src/gate/notify/alarm-changes.ts"
import { alarm, type AlarmName } from "../../../../src/link/views/alarms.ts"

const said = { fact: "It is so", advice: "fix it" }
const made = (name: AlarmName, subject = "") => alarm(name, { subject, ...said })
const frozen = made("frozen", "all")
const spent = made("limit_spent", "mm/few")

const told = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ state, alarm: { name, subject } }) => `${state} ${name} ${subject}`)

describe("the changes of alarms", () => {
  it("tell an alarm once, however long it lasts", () => {
    const changes = alarmChanges()
    assert.deepEqual(told(changes([frozen], 0)), ["raised frozen all"])
    assert.deepEqual(told(changes([frozen], 5_000)), [])
    assert.deepEqual(told(changes([{ ...frozen, fact: "By another" }], 10_000)), [])
  })

  it("tell what is there at the first look, and nothing where nothing is", () => {
    assert.deepEqual(told(alarmChanges()([frozen, spent], 0)), [
      "raised frozen all",
      "raised limit_spent mm/few",
    ])
    assert.deepEqual(told(alarmChanges()([], 0)), [])
  })

  it("tell subjects apart", () => {
    const changes = alarmChanges()
    changes([frozen, made("frozen", "client bot")], 0)
    assert.deepEqual(told(changes([frozen, made("frozen", "key mm")], 1)), [
      "raised frozen key mm",
      "cleared frozen client bot",
    ])
  })

  it("tell at once that a freeze is over, and tell the next one", () => {
    const changes = alarmChanges()
    changes([frozen], 0)
    assert.deepEqual(told(changes([], 1)), ["cleared frozen all"])
    assert.deepEqual(told(changes([], 2)), [])
    assert.deepEqual(told(changes([frozen], 3)), ["raised frozen all"])
  })

  it("tell that what is measured is over only once it has been so for a minute", () => {
    const changes = alarmChanges()
    changes([spent], 0)
    assert.deepEqual(told(changes([], 5_000)), [])
    assert.deepEqual(told(changes([], 5_000 + lingerMs - 1)), [])
    assert.deepEqual(told(changes([], 5_000 + lingerMs)), ["cleared limit_spent mm/few"])
    assert.deepEqual(told(changes([], 5_001 + lingerMs)), [])
    assert.deepEqual(told(changes([spent], 5_002 + lingerMs)), ["raised limit_spent mm/few"])
  })

  it("tell nothing of what goes to and fro within a minute, and count the minute anew", () => {
    const changes = alarmChanges()
    changes([spent], 0)
    for (let nowMs = 10_000; nowMs < 10 * lingerMs; nowMs += 10_000) {
      assert.deepEqual(told(changes(nowMs % 20_000 === 0 ? [spent] : [], nowMs)), [])
    }
    changes([spent], 10 * lingerMs)
    changes([], 10 * lingerMs + 1)
    assert.deepEqual(told(changes([], 11 * lingerMs)), [])
    assert.deepEqual(told(changes([], 11 * lingerMs + 1)), ["cleared limit_spent mm/few"])
  })

  it("say of what is over what it was last", () => {
    const changes = alarmChanges()
    changes([frozen], 0)
    changes([{ ...frozen, fact: "By another" }], 1)
    assert.equal(changes([], 2)[0]?.alarm.fact, "By another")
  })
})
