// For how long hosts that are kept busy are silent: after one of them is killed, stands still or loses its relay, and
// after the primary dies while its standby has another ready.

import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { budgetsOff } from "../support/countersign.ts"
import { withBusyFleet } from "../support/fleet-bots.ts"
import { allSign, type FleetEvent } from "../support/fleet-events.ts"
import { tellSilences } from "../support/fleet-report.ts"
import { silenceAfter, type Silence } from "../support/fleet-silence.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom } from "../support/seeded-random.ts"

const { numRuns: times } = numRuns(1)

/** How often each happens, here and as many times in a run that is so many times as long. */
const events = { nothing: 1, kill: 2, stop: 0.1, relay: 0.2 } as const satisfies Partial<
  Record<FleetEvent, number>
>

/** Enough for the orders of a run; a start reads each of them. */
const symbols = { least: 100, often: 10 }

/** Of each of four callers at a host: often enough to hear of silence, and not so often that they make some. */
const pauseMs = 25

/** How much longer than the promotion the hosts are silent: what is promised, three times. */
const longestMs = 3 * 1_000

/** What else runs on a machine adds to a silence and takes nothing from it: the shortest of so many counts. */
const tries = 3

const needed = { timeout: 180_000 + times * 60_000 + tries * 90_000, ...needsPostgres }

describe("hosts that are kept busy", needed, () => {
  it("are silent for a moment when one of them is lost", async (t) => {
    const ask = { symbols: symbols.least + times * symbols.often, budgets: budgetsOff, pauseMs }
    await withBusyFleet(t, ask, async ({ fleet, signings }) => {
      const around = { ...fleet, signings, random: seededRandom("silence") }
      await allSign(around)
      const silences: Silence[] = []
      for (const [event, often] of Object.entries(events) as [FleetEvent, number][]) {
        for (let count = 0; count < times * often; count += 1) {
          silences.push(await silenceAfter(event, around))
        }
      }
      tellSilences(t, silences)
    })
  })

  it("are silent for little more than a promotion takes, where a second standby is ready", async (t) => {
    let overMs = Infinity
    for (let count = 0; count < tries && overMs > longestMs; count += 1) {
      overMs = await silentAfterPromotion(t)
    }
    assert.ok(overMs <= longestMs)
  })
})

/** Has a fleet lose its primary, and resolves with how much longer than the promotion all of its hosts were silent. */
async function silentAfterPromotion(t: TestContext): Promise<number> {
  const waitsFor = "the next"
  const ask = { symbols: symbols.least, budgets: budgetsOff, pauseMs, waitsFor } as const
  return withBusyFleet(t, ask, async ({ site: { servers }, fleet, signings }) => {
    await allSign({ ...fleet, signings })
    const fromMs = performance.now()
    await servers.primary().kill()
    await servers.takeOver()
    const promotedMs = performance.now() - fromMs
    await allSign({ ...fleet, signings })
    const silentMs = signings.silence({ fromMs, toMs: performance.now() })
    t.diagnostic(
      `promoted after ${Math.round(promotedMs)} ms, silent for ${Math.round(silentMs)} ms`,
    )
    return silentMs - promotedMs
  })
}
