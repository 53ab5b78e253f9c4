import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  dayWindow,
  localClock,
  type LocalClock,
} from "../../../../../src/vault/policy/values/local-clock.ts"
import {
  hoursText,
  isWithinHours,
  type Hours,
} from "../../../../../src/vault/policy/match/hours.ts"
import { denyFile, policiesOf } from "../../../../support/policy-case.ts"

const hourMs = 3_600_000
const minuteMs = 60_000

function clockOf(zone: string): LocalClock {
  const clock = localClock(zone)
  assert.ok(clock, zone)
  return clock
}

function hoursOf(written: string): Hours {
  const hours = policiesOf(denyFile(`hours: ${written}`))[0]?.deny[0]?.matchers.hours
  assert.ok(hours)
  return hours
}

/** Whether the hours hold at a time of Friday 20 November 2026, or that many days later, in UTC. */
function asker(written: string) {
  const hours = hoursOf(`{zone: UTC, ${written}}`)
  return (hour: number, minute: number, daysLater = 0) =>
    isWithinHours(hours, Date.UTC(2026, 10, 20 + daysLater, hour, minute))
}

describe("hours of a day", () => {
  it("begin with their first minute and end before their last", () => {
    const ask = asker("from: '08:00', to: '18:30'")
    assert.equal(ask(7, 59), false)
    assert.equal(ask(8, 0), true)
    assert.equal(ask(18, 29), true)
    assert.equal(ask(18, 30), false)
    const hours = hoursOf("{zone: UTC, from: '08:00', to: '18:30'}")
    const endMs = Date.UTC(2026, 10, 20, 18, 30)
    assert.equal(isWithinHours(hours, endMs - 1), true)
    assert.equal(isWithinHours(hours, endMs), false)
  })

  it("last from midnight where from is left out, and until midnight where to is", () => {
    const morning = asker("to: '08:00'")
    assert.deepEqual([morning(0, 0), morning(7, 59), morning(8, 0)], [true, true, false])
    const evening = asker("from: '22:00'")
    assert.deepEqual([evening(21, 59), evening(22, 0), evening(23, 59)], [false, true, true])
    const midnight = asker("from: '22:00', to: '24:00'")
    assert.deepEqual([midnight(23, 59), midnight(0, 0, 1)], [true, false])
  })

  it("hold on the days that are named", () => {
    const ask = asker("days: [fri, sun]")
    assert.deepEqual([ask(0, 0), ask(23, 59)], [true, true])
    assert.deepEqual([ask(0, 0, 1), ask(0, 0, 2), ask(0, 0, 3)], [false, true, false])
    assert.equal(ask(23, 59, -1), false)
  })
})

describe("hours over midnight", () => {
  it("go on into the next day, and belong to the day on which they began", () => {
    const ask = asker("days: [fri], from: '22:00', to: '06:00'")
    assert.deepEqual([ask(21, 59), ask(22, 0), ask(23, 59)], [false, true, true])
    assert.deepEqual([ask(0, 0, 1), ask(5, 59, 1), ask(6, 0, 1)], [true, true, false])
    assert.equal(ask(5, 59), false, "friday's early hours are thursday's")
    assert.equal(ask(22, 0, 1), false)
  })

  it("end at midnight with to at 00:00, like with 24:00", () => {
    const ask = asker("days: [fri], from: '22:00', to: '00:00'")
    assert.deepEqual([ask(22, 0), ask(23, 59), ask(0, 0, 1)], [true, true, false])
  })

  it("go from sunday into monday", () => {
    const ask = asker("days: [sun], from: '22:00', to: '06:00'")
    assert.deepEqual([ask(23, 0, 2), ask(5, 59, 3), ask(5, 59, 2)], [true, true, false])
  })
})

describe("hours where clocks change", () => {
  const night = hoursOf("{zone: Europe/Berlin, from: '02:00', to: '03:00'}")

  it("never come on the day on which their hour is left out", () => {
    // 29 March 2026: at 01:00 UTC clocks go from 02:00 to 03:00.
    const changeMs = Date.UTC(2026, 2, 29, 1)
    for (let offsetMs = -2 * hourMs; offsetMs < 2 * hourMs; offsetMs += minuteMs) {
      assert.equal(isWithinHours(night, changeMs + offsetMs), false)
    }
  })

  it("come twice on the day on which their hour is repeated", () => {
    // 25 October 2026: at 01:00 UTC clocks go from 03:00 back to 02:00.
    const changeMs = Date.UTC(2026, 9, 25, 1)
    assert.equal(isWithinHours(night, changeMs - hourMs - 1), false)
    assert.equal(isWithinHours(night, changeMs - hourMs), true)
    assert.equal(isWithinHours(night, changeMs - 1), true)
    assert.equal(isWithinHours(night, changeMs), true)
    assert.equal(isWithinHours(night, changeMs + hourMs - 1), true)
    assert.equal(isWithinHours(night, changeMs + hourMs), false)
  })

  it("keep to the clocks of their zone in summer and in winter", () => {
    const office = hoursOf("{zone: Europe/Berlin, from: '08:00', to: '18:00'}")
    assert.equal(isWithinHours(office, Date.UTC(2026, 6, 1, 6)), true)
    assert.equal(isWithinHours(office, Date.UTC(2026, 6, 1, 5, 59)), false)
    assert.equal(isWithinHours(office, Date.UTC(2026, 11, 1, 6)), false)
    assert.equal(isWithinHours(office, Date.UTC(2026, 11, 1, 7)), true)
  })
})

describe("hoursText", () => {
  it("says which days, from when to when, and whose clocks", () => {
    const text = hoursText(hoursOf("{zone: Asia/Tokyo, days: [mon, tue], to: '06:05'}"))
    assert.equal(text, "mon, tue 00:00-06:05 Asia/Tokyo")
    assert.equal(hoursText(hoursOf("{zone: UTC, from: '22:00'}")), "22:00-24:00 UTC")
  })
})

describe("a local clock", () => {
  it("shows day and time of its zone, and the same again when asked again", () => {
    const clock = clockOf("Asia/Kolkata")
    const nowMs = Date.UTC(2026, 10, 20, 18, 30)
    const expected = { date: "11/21/2026", day: "sat", minute: 0 }
    assert.deepEqual(clock(nowMs), expected)
    assert.deepEqual(clock(nowMs - 1), { date: "11/20/2026", day: "fri", minute: 1439 })
    assert.deepEqual(clock(nowMs), expected)
    assert.deepEqual(clock(nowMs + 0.5), expected)
  })

  it("shows nothing at a time that no calendar has", () => {
    const clock = clockOf("UTC")
    for (const nowMs of [Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, -8.64e15 - 1]) {
      assert.equal(clock(nowMs), undefined)
    }
  })

  it("knows no zone by another name", () => {
    for (const zone of ["", "Mars", "Europe/Berlin ", "CEST+1"]) {
      assert.equal(localClock(zone), undefined, zone)
    }
  })
})

describe("the calendar day around a time", () => {
  it("starts and ends at midnight of its zone, both times for every time within it", () => {
    const dayAt = dayWindow(clockOf("Europe/Berlin"))
    const startMs = Date.UTC(2026, 10, 19, 23)
    const endMs = startMs + 24 * hourMs
    for (const nowMs of [startMs, startMs + 1, startMs + 12 * hourMs + 0.5, endMs - 1]) {
      assert.deepEqual(dayAt(nowMs), { kind: "day", startMs, endMs })
    }
    assert.equal(dayAt(startMs - 1)?.endMs, startMs)
    assert.equal(dayAt(endMs)?.startMs, endMs)
  })

  it("is 23 hours long when clocks go forward and 25 when they go back", () => {
    const dayAt = dayWindow(clockOf("Europe/Berlin"))
    const spring = dayAt(Date.UTC(2026, 2, 29, 12))
    assert.deepEqual(spring, {
      kind: "day",
      startMs: Date.UTC(2026, 2, 28, 23),
      endMs: Date.UTC(2026, 2, 29, 22),
    })
    const autumn = dayAt(Date.UTC(2026, 9, 25, 0, 30))
    assert.deepEqual(autumn, {
      kind: "day",
      startMs: Date.UTC(2026, 9, 24, 22),
      endMs: Date.UTC(2026, 9, 25, 23),
    })
  })

  it("starts at one o'clock where the hour after midnight is left out", () => {
    // Cairo, 24 April 2026: clocks go from 00:00 to 01:00, which is 22:00 UTC of the day before.
    const dayAt = dayWindow(clockOf("Africa/Cairo"))
    const startMs = Date.UTC(2026, 3, 23, 22)
    assert.equal(dayAt(startMs)?.startMs, startMs)
    assert.equal(dayAt(startMs - 1)?.endMs, startMs)
    assert.equal(dayAt(startMs)?.endMs, startMs + 23 * hourMs)
  })

  it("isn't found at a time that no calendar has", () => {
    assert.equal(dayWindow(clockOf("UTC"))(Number.NaN), undefined)
    assert.equal(dayWindow(clockOf("UTC"))(Number.NEGATIVE_INFINITY), undefined)
  })
})
