import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { fleetFamilies } from "../../../../../src/conditions/vault-families.ts"
import { FleetWatch } from "../../../../../src/vault/ledger/postgres/fleet-watch.ts"

describe("what a host keeps of the others", () => {
  const valueOf = (watch: FleetWatch, name: string) => {
    const family = fleetFamilies(watch.read(7)).find(
      (each) => each.name === `countersign_ledger_${name}`,
    )
    assert.ok(family !== undefined, name)
    return family.type === "histogram"
      ? family.series.map(([, { counts }]) => counts.reduce((sum, count) => sum + count, 0))
      : family.series.map(([labels, value]) => [...labels, value])
  }

  it("tells the last entry that it is given", () => {
    assert.deepEqual(valueOf(new FleetWatch(["b"]), "head_entry"), [[7]])
  })

  it("knows when each was heard, and goes on knowing it of one that is away", () => {
    const watch = new FleetWatch(["b", "c"])
    const sinceMs = Date.now()
    watch.heard(new Map([["b", 60_000]]))
    const heard = new Map(valueOf(watch, "host_heard_timestamp_seconds") as [string, number][])
    assert.deepEqual([...heard.keys()], ["b", "c"])
    assert.ok(Math.abs(heard.get("b")! - (sinceMs - 60_000) / 1_000) < 5)
    assert.ok(Math.abs(heard.get("c")! - sinceMs / 1_000) < 5)
  })

  it("says nothing of when others were heard where nobody can tell", () => {
    const watch = new FleetWatch(["b"])
    watch.heard(undefined)
    assert.deepEqual(valueOf(watch, "host_heard_timestamp_seconds"), [])
  })

  it("times a turn from when it was asked for until it is here, and until it is given on", () => {
    const watch = new FleetWatch(["b"])
    watch.given() // one that was never here
    watch.taken(performance.now())
    assert.deepEqual(valueOf(watch, "turn_hold_seconds"), [0])
    watch.given()
    watch.given()
    assert.deepEqual(valueOf(watch, "turn_wait_seconds"), [1])
    assert.deepEqual(valueOf(watch, "turn_hold_seconds"), [1])
  })
})
