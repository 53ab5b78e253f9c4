// The primary dies while its standby has another ready: the hosts sign on as soon as that is promoted.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { budgetsOff } from "../support/countersign.ts"
import { withBusyFleet } from "../support/fleet-bots.ts"
import { needsPostgres } from "../support/postgres-server.ts"

/** How much longer than the promotion the hosts are silent: what is promised, three times. */
const longestMs = 3 * 1_000

describe("a failover with a second standby ready", { timeout: 180_000, ...needsPostgres }, () => {
  it("keeps the hosts silent for little more than the promotion takes", async (t) => {
    const ask = { symbols: 100, waitsFor: "the next", budgets: budgetsOff } as const
    await withBusyFleet(t, ask, async ({ site: { servers }, fleet, signings }) => {
      const allSign = () => Promise.all(fleet.hosts.map(({ name }) => signings.next(name)))
      await allSign()
      const fromMs = performance.now()
      await servers.primary().kill()
      await servers.takeOver()
      const promotedMs = performance.now() - fromMs
      await allSign()
      const silentMs = signings.silence({ fromMs, toMs: performance.now() })
      t.diagnostic(
        `promoted after ${Math.round(promotedMs)} ms, silent for ${Math.round(silentMs)} ms`,
      )
      assert.ok(silentMs <= promotedMs + longestMs)
    })
  })
})
