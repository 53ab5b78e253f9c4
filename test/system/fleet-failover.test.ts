// The primary dies while its standby has another ready: the hosts sign on as soon as that is promoted.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { makeFleetSite, startFleet } from "../support/crash-fleet.ts"
import { budgetsOff } from "../support/countersign.ts"
import { clientsOf, startBots } from "../support/fleet-bots.ts"
import { stateOf } from "../support/fleet-host.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { keepSignings } from "../support/signings.ts"

/** How much longer than the promotion the hosts are silent: what is promised, three times. */
const longestMs = 3 * 1_000

describe("a failover with a second standby ready", { timeout: 180_000, ...needsPostgres }, () => {
  it("keeps the hosts silent for little more than the promotion takes", async (t) => {
    const site = await makeFleetSite({ symbols: 100, waitsFor: "the next", budgets: budgetsOff })
    const fleet = await startFleet(t, site, "http://127.0.0.1:9")
    const signings = keepSignings()
    const [one = assert.fail()] = site.sites
    const bots = startBots({ fleet, clients: clientsOf(one), symbolIds: one.symbolIds, signings })
    const allSign = () => Promise.all(fleet.hosts.map(({ name }) => signings.next(name)))
    try {
      await allSign()
      const fromMs = performance.now()
      await site.servers.primary().kill()
      await site.servers.takeOver()
      const promotedMs = performance.now() - fromMs
      await allSign()
      const silentMs = signings.silence({ fromMs, toMs: performance.now() })
      t.diagnostic(
        `promoted after ${Math.round(promotedMs)} ms, silent for ${Math.round(silentMs)} ms`,
      )
      assert.ok(silentMs <= promotedMs + longestMs)
    } catch (error) {
      for (const host of fleet.hosts) t.diagnostic(await stateOf(host))
      throw error
    } finally {
      await bots.end()
      await Promise.all(fleet.hosts.map((host) => host.end()))
      await site.remove()
    }
  })
})
