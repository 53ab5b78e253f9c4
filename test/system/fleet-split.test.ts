// The old primary runs on with one host on its side, while its standby is promoted for the two others.

import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { FleetSite } from "../support/crash-fleet.ts"
import type { WaitsFor } from "../support/crash-servers.ts"
import { withBusyFleet } from "../support/fleet-bots.ts"
import { allSign } from "../support/fleet-events.ts"
import type { FleetHost } from "../support/fleet-host.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { until } from "../support/process-tree.ts"
import { query } from "../support/read-ledger.ts"
import { numRuns } from "../support/runs.ts"
import type { Signings } from "../support/signings.ts"

/** What was decided before the promotion is out by then, or never comes out. */
const releasedMs = 2_000
/** For how long both sides are watched after that, from when the new one signs. */
const watchedMs = 5_000

/** What a host of each side gave out while they were apart. */
type Apart = {
  readonly old: readonly string[]
  readonly new: readonly string[]
  /** Those of all before and after that the new side has no record of. */
  readonly lost: number
  /** How the old side's host goes on once it reaches the new one. */
  readonly rejoined: string
}

describe("an old primary that runs on", { timeout: 240_000, ...needsPostgres }, () => {
  it("gives nothing out where commits wait for the standby that is promoted", async (t) => {
    const apart = await split(t, "the standby")
    assert.deepEqual(apart.old, [])
    assert.ok(apart.new.length > 0)
    assert.equal(apart.lost, 0)
    assert.equal(apart.rejoined, "signs")
  })

  // What doctor keeps an operator from is shown by the long run.
  if (numRuns(1).numRuns === 1) return
  it("goes on giving out where any of two standbys is enough and it has the other", async (t) => {
    const apart = await split(t, "any of two")
    assert.ok(apart.old.length > 0)
    assert.ok(apart.new.length > 0)
    assert.ok(apart.lost >= apart.old.length)
    assert.match(apart.rejoined, /ledger_unusable: PostgreSQL (?:and this host have|ends at entry)/)
    t.diagnostic("this is why ANY is refused: no commit says which side it was durable on")
  })
})

function split(t: TestContext, waitsFor: WaitsFor): Promise<Apart> {
  return withBusyFleet(t, { symbols: 100, waitsFor }, async ({ site, fleet, bots, signings }) => {
    const all = new Set<string>()
    const apart = { old: [] as string[], new: [] as string[] }
    bots.hears = (_, record) => all.add(record)
    await allSign({ ...fleet, signings })
    await partAll(fleet.hosts, site)
    await pause(releasedMs)
    bots.hears = ({ host }, record) => {
      all.add(record)
      apart[host === fleet.hosts[0]?.name ? "old" : "new"].push(record)
    }
    await allSign({ hosts: fleet.hosts.slice(1), signings })
    await pause(watchedMs)
    bots.hears = (_, record) => all.add(record)
    const rejoined = await rejoin(fleet.hosts[0], signings)
    await bots.end()
    await Promise.all(fleet.hosts.map((host) => host.end("SIGTERM")))
    const known = new Set(
      query(site.sites[1]?.ledgerFile ?? "", "SELECT id FROM requests").map(({ id }) => id),
    )
    const lost = [...all].filter((record) => !known.has(record)).length
    t.diagnostic(
      `commits wait for ${waitsFor}: in ${watchedMs / 1_000} s the old side gave ${apart.old.length} signatures out, the new side ${apart.new.length}; ${lost} have no record on the new side; the old side's host then: ${rejoined}`,
    )
    return { ...apart, lost, rejoined }
  })
}

/** The first host stays with the old primary, and reaches nothing else; the others reach nothing but the new one. */
async function partAll(hosts: readonly FleetHost[], { servers }: FleetSite): Promise<void> {
  const old = servers.primary()
  await Promise.all(hosts.map((host) => host.cutRelay()))
  hosts[0]?.startRelay([old])
  await servers.split()
  for (const host of hosts.slice(1)) host.startRelay()
}

/** Connects it with the new side, and resolves with what becomes of it. */
async function rejoin(host: FleetHost | undefined, signings: Signings): Promise<string> {
  assert.ok(host)
  const { ended } = host.vault()
  await host.cutRelay()
  await Promise.race([ended, pause(1_000)])
  await pause(100) // what it gave out before is read
  const before = host.ends.length
  host.startRelay()
  const signed = signings.count(host.name)
  const became = (): string | undefined =>
    signings.count(host.name) > signed
      ? "signs"
      : host.ends.slice(before).find((end) => end.includes("ledger_unusable"))
  return until(became, "it signs, or its start is refused")
}
