// What guards count as lost, held against what an account really lost by trading: over days that a clock change makes
// shorter or longer, restarts, gaps, deposits, withdrawals that a person tells, and garbled numbers.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { followLosses } from "../support/followed-losses.ts"
import { numRuns } from "../support/runs.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const windowMs = 24 * hourMs
const zone = "Europe/Berlin"
const guards = `{name: day, daily_loss: {max: "1000000", zone: ${zone}}}, {name: window, loss: {max: "1000000", window: 24h}}, {name: ever, drawdown: {max: "1000000"}}`

/** The evenings before days of 23, 25 and 24 hours. */
const starts = ["2026-03-28T18:00:00Z", "2026-10-24T18:00:00Z", "2026-06-10T18:00:00Z"]

/** An equity within a thousandth of the last is recorded only where it moves a mark. */
const unrecorded = 0.00105
/** What trading can't explain is more than 1 %. What is lost in an interval with a deposit is hidden by it, up to this. */
const explained = 0.0101

type Step = {
  readonly afterMs: number
  /** Of equity. */
  readonly profit: number
  readonly does: "nothing" | "deposit" | "withdraw" | "garble" | "restart"
  /** In how many times the equity it pays or reads. */
  readonly times: number
}

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.oneof(
    fc.integer({ min: 3_000, max: 60_000 }),
    fc.integer({ min: 3_000, max: 3 * hourMs }),
    fc.constant(3 * hourMs),
  ),
  profit: fc.oneof(
    fc.double({ min: -0.008, max: 0.008, noNaN: true }),
    fc.double({ min: -0.0005, max: 0.0005, noNaN: true }),
    fc.constantFrom(-0.05, 0),
  ),
  does: fc.constantFrom<Step["does"]>(
    ...(["nothing", "nothing", "nothing", "nothing", "deposit"] as const),
    ...(["withdraw", "garble", "restart"] as const),
  ),
  times: fc.double({ min: 0.05, max: 0.8, noNaN: true }),
})

/** A reading as it truly was. */
type Truth = {
  readonly atMs: number
  readonly date: string
  /** By trading alone, since the start. */
  readonly profit: number
  /** How much of what was lost until then deposits may hide. */
  readonly hidden: number
}

const dates = new Intl.DateTimeFormat("sv-SE", { timeZone: zone })

const hourOf = (atMs = 0) => Math.floor(atMs / hourMs)

/** What was lost since each reading that a guard may count from, at the least; the largest of them. */
function lostSince(all: readonly Truth[], now: Truth): number {
  return all.reduce((most, { profit, hidden }) => {
    return Math.max(most, profit - now.profit - (now.hidden - hidden))
  }, 0)
}

/** The least that each guard has to count, by the truth alone: since the readings that were believed. */
function leastOf(truths: readonly Truth[], now: Truth): Readonly<Record<string, number>> {
  const first = truths.findIndex(({ date }) => date === now.date)
  return {
    day: lostSince(
      first < 0 ? truths.slice(-1) : truths.slice(Math.max(0, first - 1), first + 1),
      now,
    ),
    window: lostSince(
      truths.filter(({ atMs }) => atMs > now.atMs - windowMs),
      now,
    ),
    ever: lostSince(truths, now),
  }
}

describe("for any history of an account", () => {
  it("guards count what was lost but for what a deposit can hide, whatever restarts, and give no room for a garbled number", async () => {
    const seen = { most: 0, days: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...starts),
        fc.array(step, { minLength: 10, maxLength: 60 }),
        async (start, steps) => {
          const history = await play(Date.parse(start), steps)
          seen.most = Math.max(seen.most, history.lost)
          seen.days = Math.max(seen.days, history.days)
        },
      ),
      numRuns(500),
    )
    assert.ok(seen.most > 10_000 && seen.days > 2, JSON.stringify(seen))
  })
})

async function play(startMs: number, steps: readonly Step[]) {
  const history = openHistory(startMs)
  for (const step of steps) {
    history.pass(step.afterMs)
    await history.take(step)
    history.assertCounted()
  }
  return history.told()
}

function openHistory(startMs: number) {
  const followed = followLosses(guards, startMs)
  let [atMs, equity, profit, hidden] = [startMs, 100_000, 0, 0]
  let richest = equity
  /** A deposit that isn't believed yet hides what is lost meanwhile. */
  let isPending = false
  const truths: Truth[] = []

  /** No day turns with a reading that is in doubt. */
  const dateNow = () => (followed.isDoubtful() ? truths.at(-1)?.date : undefined)
  const truth = (): Truth => ({ atMs, date: dateNow() ?? dates.format(atMs), profit, hidden })

  function read(): void {
    followed.read(atMs, equity)
    if (!followed.isDoubtful()) truths.push(truth())
    isPending &&= followed.isDoubtful()
  }

  function earn(share: number): void {
    const gain = share * equity
    profit += gain
    equity += gain
    if (isPending) hidden += explained * equity + unrecorded * equity + Math.max(0, -gain)
  }

  function restart(): void {
    const [before, date] = [followed.lost(), truths.at(-1)?.date]
    // Against what was recorded a deposit may just be explained that wasn't against the last reading.
    const slack = isPending ? explained * equity : 0.01
    followed.restart()
    assert.deepEqual(Object.values(followed.lost()), [undefined, undefined, undefined])
    read()
    const after = followed.lost()
    const isSameDay = dates.format(atMs) === date && !isPending
    for (const name of isSameDay ? ["day", "ever"] : ["ever"]) {
      assert.ok(after[name]! >= before[name]! - slack, `${name}: a restart gave room`)
    }
  }

  function garble(times: number): void {
    const before = followed.lost()["ever"]!
    followed.read(atMs, times < 0.4 ? equity * times : equity * (1 + times * 5))
    assert.ok(followed.lost()["ever"]! >= before - unrecorded * equity, "garbled gave room")
    atMs += 3_000
    read()
  }

  function deposit({ profit: share, times }: Step): void {
    const paid = times * equity
    isPending = true
    equity += paid
    richest = Math.max(richest, equity)
    earn(share)
    read()
  }

  /** By a person who says so at once: no reading has a profit beside it. */
  async function withdraw(times: number): Promise<void> {
    const paid = times * equity
    equity -= paid
    followed.read(atMs, equity)
    followed.read((atMs += 3_000), equity)
    await followed.paidOut(paid)
    truths.push(truth())
  }

  function trade(share: number): void {
    earn(share)
    richest = Math.max(richest, equity)
    read()
  }

  /** What is told in a later hour than it was paid lowers that hour's mark too, which never had it. */
  const mayWithdraw = () =>
    !followed.isDoubtful() && hourOf(truths.at(-1)?.atMs) === hourOf(atMs + 3_000)

  read()
  return {
    pass(ms: number): void {
      atMs += ms
    },
    async take(step: Step): Promise<void> {
      const { does, profit: share, times } = step
      if (does === "restart") restart()
      else if (does === "garble" && !followed.isDoubtful()) garble(times)
      else if (does === "deposit" && !followed.isDoubtful()) deposit(step)
      else if (does === "withdraw" && mayWithdraw()) await withdraw(times)
      else trade(share)
    },
    assertCounted(): void {
      const [lost, least] = [followed.lost(), leastOf(truths, truth())]
      for (const [name, counted] of Object.entries(lost)) {
        assert.ok(counted !== undefined, `${name} can't tell`)
        const missing = (least[name] ?? 0) - counted
        assert.ok(
          missing <= unrecorded * richest + 0.01,
          `${name} counts ${counted}, and ${least[name]} was lost`,
        )
      }
    },
    told: () => ({
      lost: leastOf(truths, truth())["ever"] ?? 0,
      days: new Set(truths.map(({ date }) => date)).size,
    }),
  }
}
