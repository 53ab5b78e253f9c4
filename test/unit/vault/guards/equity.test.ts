import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  anchored,
  isAsRecorded,
  markedBy,
  type Marks,
  paidIn,
  paidOut,
} from "../../../../src/vault/guards/equity.ts"
import { lossBy } from "../../../../src/vault/guards/loss.ts"
import type { LossBound } from "../../../../src/vault/policy/guard-terms.ts"
import { ever } from "../../../../src/vault/policy/terms.ts"
import { excessOf, formatDecimal } from "../../../../src/venue/decimal.ts"
import { decimal } from "../../../support/guards/exposures.ts"
import { numRuns } from "../../../support/runs.ts"

const hour = 3_600_000
const day = 24 * hour
const zone = "UTC"

/** Days as UTC has them, from 0 on. */
const dayOf = (atMs: number) => new Map([[zone, Math.floor(atMs / day) * day]])
const seen = (readAtMs: number, equity: string) => {
  return { readAtMs, equity: decimal(equity), mapping: "m" }
}

/** Reads one equity after the other, where any rise is plausible unless told. */
function readAll(
  readings: readonly (readonly [atMs: number, equity: string])[],
  plausible = "1000000",
): Marks {
  const [[atMs, equity] = [0, "0"], ...rest] = readings
  return rest.reduce(
    (marks, [at, next]) => read(marks, [at, next], plausible).marks,
    anchored(seen(atMs, equity), dayOf(atMs)),
  )
}

function read(marks: Marks, [atMs, equity]: readonly [number, string], plausible = "1000000") {
  return markedBy(marks, seen(atMs, equity), { days: dayOf(atMs), plausible: decimal(plausible) })
}

type Window = Pick<LossBound, "kind" | "window">
const daily: Window = {
  kind: "daily_loss",
  window: { kind: "day", zone, dayAt: () => undefined },
}
const within = (lengthMs: number): Window => {
  return { kind: "loss", window: { kind: "rolling", lengthMs } }
}
const sinceEver: Window = { kind: "drawdown", window: ever }

function bound(window: Window, max = "100"): LossBound {
  const isShare = max.endsWith("%")
  const value = isShare
    ? { ...decimal(max.slice(0, -1)), scale: decimal(max.slice(0, -1)).scale + 2 }
    : decimal(max)
  return {
    ...{ ...window, max: { kind: isShare ? "share" : "amount", value } },
    ...{ shock: decimal("0"), maxAgeMs: 60_000, then: "refuse" },
  }
}

/** What is lost by now, as text. */
function lost(window: Window, marks: Marks): string | undefined {
  const loss = lossBy(bound(window), marks, marks.equity)
  return loss && formatDecimal(loss.measured)
}

describe("a loss", () => {
  it("of a day counts from what the account had when the day began, profits and all", () => {
    const marks = readAll([
      [0, "1000"],
      [hour, "1200"],
      [2 * hour, "1100"],
    ])
    assert.equal(lost(daily, marks), "0")
    assert.equal(lost(daily, read(marks, [3 * hour, "940"]).marks), "60")
  })

  it("of a day begins anew with the first reading of the next, and forgives nothing that was lost between", () => {
    const before = readAll([
      [0, "1000"],
      [23 * hour, "900"],
    ])
    assert.equal(lost(daily, read(before, [day - 1, "850"]).marks), "150")
    assert.equal(lost(daily, read(before, [day, "850"]).marks), "50")
    assert.equal(lost(daily, read(before, [day, "950"]).marks), "0")
    assert.equal(lost(daily, read(before, [3 * day, "850"]).marks), "50")
  })

  it("of a window counts from the highest within it, to the hour, and lets go of what is older", () => {
    const marks = readAll([
      [0, "1000"],
      [hour, "980"],
      [2 * hour, "990"],
      [5 * hour, "900"],
    ])
    assert.equal(lost(within(5 * hour), marks), "100")
    assert.equal(lost(within(4 * hour), marks), "90")
    assert.equal(lost(within(hour), marks), "0")
    const last = read(marks, [6 * hour, "890"]).marks
    assert.equal(lost(within(hour), last), "10")
    assert.equal(lost(within(7 * day), read(marks, [7 * day + 5.5 * hour, "850"]).marks), "50")
    assert.equal(lost(within(7 * day), read(marks, [7 * day + hour / 2, "850"]).marks), "150")
  })

  it("since ever counts from the highest, and only an anchor brings it down", () => {
    const marks = readAll([
      [0, "1000"],
      [day, "1500"],
      [30 * day, "900"],
    ])
    assert.equal(lost(sinceEver, marks), "600")
    assert.equal(lost(sinceEver, anchored(seen(31 * day, "900"), dayOf(31 * day))), "0")
  })

  it("is bounded by a share of what it is counted from, not of what was paid in since", () => {
    const marks = paidIn(readAll([[0, "1000"]]), decimal("9000"))
    const loss = lossBy(bound(daily, "5%"), marks, decimal("9960"))
    assert.deepEqual(
      [loss?.measured, loss?.max].map((each) => each && formatDecimal(each)),
      ["40", "50"],
    )
  })
})

describe("what was paid in or out", () => {
  it("changes no loss where a person tells it", () => {
    const marks = readAll([
      [0, "1000"],
      [hour, "950"],
    ])
    const out = paidOut(read(marks, [hour + 1, "450"]).marks, decimal("500"))
    const into = { ...paidIn(marks, decimal("500")), equity: decimal("1450") }
    for (const window of [daily, within(day), sinceEver]) {
      assert.equal(lost(window, out), "50")
      assert.equal(lost(window, into), "50")
    }
  })

  it("ends what is lost at the most, where a mark is from after it was paid out", () => {
    const marks = readAll([
      [0, "1000"],
      [hour, "500"],
      [day, "500"],
      [day + 1, "450"],
    ])
    const told = paidOut(marks, decimal("500"))
    assert.equal(lost(sinceEver, told), "50")
    assert.equal(lost(daily, told), "0")
    assert.equal(lost(daily, read(told, [day + 2, "440"]).marks), "10")
  })

  it("is what a rise over the plausible counts as, all of it, also after a loss", () => {
    const marks = readAll([
      [0, "1000"],
      [hour, "910"],
    ])
    const within20 = read(marks, [hour + 1, "930"], "20")
    assert.equal(within20.deposit, undefined)
    assert.equal(lost(daily, within20.marks), "70")
    const over = read(marks, [hour + 1, "930.01"], "20")
    assert.equal(over.deposit && formatDecimal(over.deposit), "20.01")
    for (const window of [daily, within(day), sinceEver])
      assert.equal(lost(window, over.marks), "90")
  })

  it("overnight is no base for the day that begins", () => {
    const marks = readAll([
      [0, "1000"],
      [23 * hour, "900"],
    ])
    const { marks: next } = read(marks, [day + hour, "10850"], "20")
    assert.equal(lost(daily, next), "0")
    assert.equal(lost(sinceEver, next), "100")
  })
})

describe("what is recorded", () => {
  it("is each mark that moves, and an equity that is a thousandth off", () => {
    const marks = readAll([
      [0, "1000"],
      [1, "999"],
    ])
    assert.ok(isAsRecorded(marks, read(marks, [2, "998.002"]).marks))
    assert.ok(!isAsRecorded(marks, read(marks, [2, "998.001"]).marks))
    assert.ok(!isAsRecorded(marks, read(marks, [2, "1000"]).marks))
    assert.ok(!isAsRecorded(marks, read(marks, [day, "999"]).marks))
    assert.ok(!isAsRecorded(marks, read(marks, [hour, "999"]).marks))
  })

  it("is a day in another time zone that begins at the same moment", () => {
    const marks = readAll([[0, "1000"]])
    const elsewhere = { days: new Map([["Etc/UTC", 0]]), plausible: decimal("0") }
    assert.ok(!isAsRecorded(marks, markedBy(marks, seen(1, "1000"), elsewhere).marks))
  })

  it("is an equity that comes to a mark which only a deposit brought so high", () => {
    const marks = { ...paidIn(readAll([[0, "1000"]]), decimal("500")), equity: decimal("1500") }
    const next = read(marks, [1, "1500"]).marks
    assert.ok(!isAsRecorded(marks, next))
    const { max } = lossBy(bound(within(hour), "10%"), next, decimal("0")) ?? {}
    assert.equal(max && formatDecimal(max), "150")
  })
})

describe("losses by any readings", () => {
  const readings = fc.array(
    fc.record({
      afterMs: fc.oneof(fc.integer({ min: 1, max: hour }), fc.integer({ min: 1, max: 3 * day })),
      equity: fc.integer({ min: 0, max: 2_000 }),
    }),
    { minLength: 1, maxLength: 60 },
  )

  it("are what all of them together say", () => {
    fc.assert(
      fc.property(readings, fc.integer({ min: 1, max: 168 }), (steps, hours) => {
        let atMs = 0
        const all = steps.map(({ afterMs, equity }) => ({ atMs: (atMs += afterMs), equity }))
        const marks = readAll(all.map(({ atMs: at, equity }) => [at, `${equity}`] as const))
        const now = all.at(-1)!
        const whole = (ms: number, unit: number) => Math.floor(ms / unit)
        const max = (of: readonly { readonly equity: number }[]) => {
          return of.reduce((most, { equity }) => Math.max(most, equity), 0)
        }
        const isToday = (at: number) => whole(at, day) === whole(now.atMs, day)
        const before = all.filter(({ atMs: at }) => !isToday(at)).slice(-1)
        const first = all.filter(({ atMs: at }) => isToday(at)).slice(0, 1)
        const inWindow = all.filter(({ atMs: at }) => {
          return (whole(at, hour) + 1) * hour > now.atMs - hours * hour
        })
        const expected = [max([...before, ...first]), max(inWindow), max(all)]
        assert.deepEqual(
          [daily, within(hours * hour), sinceEver].map((window) => lost(window, marks)),
          expected.map((from) => `${Math.max(0, from - now.equity)}`),
        )
      }),
      numRuns(500),
    )
  })

  it("never become less by a rise that is no plausible profit", () => {
    fc.assert(
      fc.property(readings, fc.integer({ min: 1, max: 100_000 }), (steps, paid) => {
        let atMs = 0
        const marks = readAll(
          steps.map(({ afterMs, equity }) => [(atMs += afterMs), `${equity}`] as const),
        )
        const rich = `${BigInt(formatDecimal(marks.equity)) + BigInt(paid)}`
        const next = read(marks, [atMs + 1, rich], "0").marks
        const windows =
          Math.floor(atMs / day) === Math.floor((atMs + 1) / day) ? [daily, sinceEver] : [sinceEver]
        for (const window of windows) assert.equal(lost(window, next), lost(window, marks))
        assert.equal(excessOf(next.equity, marks.equity).coefficient, BigInt(paid))
      }),
      numRuns(300),
    )
  })
})
