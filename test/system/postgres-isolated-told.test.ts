// What a host signed without PostgreSQL gets to all hosts, once, whatever comes in between.

import assert from "node:assert/strict"
import { channel } from "node:diagnostics_channel"
import { copyFileSync, renameSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { join } from "node:path"
import { describe, it } from "node:test"

import { asked, hostAt, isolated, withIsolated, type Host } from "../support/isolated-host.ts"
import { verdictOf } from "../support/audit-ledger.ts"
import { postgresFleet } from "../support/postgres-ledger.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { recordOf } from "../support/ledger-ask.ts"

describe("what a host signed without PostgreSQL", needsPostgres, () => {
  const primary = primaryOfSuite()
  const withHosts = (use: (host: Host, other: Host) => Promise<void>): Promise<void> =>
    withIsolated(primary(), use)

  it("loses no outcome to a connection that broke between two", () =>
    withHosts(async (host) => {
      const { isolatedFile } = host.place
      const { record } = await host.parted(async (ledger) => {
        const taken = await asked(ledger)
        await ledger.settle(taken.record, { kind: "sent" }, ledger.now())
        return taken
      })
      copyFileSync(isolatedFile, `${isolatedFile}.first`)
      const accepted = { kind: "accepted", status: 200, code: "0" } as const
      await host.parted((ledger) => ledger.settle(record, accepted, ledger.now()))
      copyFileSync(isolatedFile, `${isolatedFile}.whole`)
      copyFileSync(`${isolatedFile}.first`, isolatedFile) // what got through
      await host.reached()
      copyFileSync(`${isolatedFile}.whole`, isolatedFile)
      await host.reached(async (ledger) => {
        assert.equal((await recordOf(ledger, record, ledger.now()))?.state, "accepted")
      })
    }))

  it("is opened at once where a crash came before the tables had its cancels", () =>
    withHosts(async (host) => {
      const { isolatedFile, file } = host.place
      const { record } = await host.parted((ledger) => asked(ledger))
      copyFileSync(isolatedFile, `${isolatedFile}.kept`)
      await host.reached()
      const copy = new DatabaseSync(file)
      copy.prepare("DELETE FROM requests WHERE id = ?").run(record) // as it is for 50 ms
      copy.close()
      copyFileSync(`${isolatedFile}.kept`, isolatedFile)
      await host.reached(async (ledger) => {
        assert.equal((await recordOf(ledger, record, ledger.now()))?.id, record)
      })
      assert.equal((await verdictOf(file)).flaw, undefined)
    }))

  it("takes what it signed from a file that was kept away meanwhile", () =>
    withHosts(async (host, other) => {
      const { file, isolatedFile } = host.place
      await host.parted((ledger) => asked(ledger))
      renameSync(isolatedFile, `${isolatedFile}.away`)
      host.clock.pass(1_000)
      await host.parted((ledger) => asked(ledger))
      await other.reached(async (ledger) => {
        await host.reached()
        await ledger.decide([], () => () => undefined)
        renameSync(`${isolatedFile}.away`, isolatedFile)
        await host.reached()
        assert.deepEqual((await verdictOf(file)).flaw, undefined)
        await ledger.decide([], () => () => undefined)
        await asked(ledger)
      })
    }))

  it("has all that it signed once, wherever the connection breaks while it is told", () =>
    withHosts(async (host) => {
      const { place, clock } = host
      const taken = await host.parted(async (ledger) => {
        const each: Awaited<ReturnType<typeof asked>>[] = []
        for (let count = 0; count < 450; count += 1) {
          clock.pass(64)
          each.push(await asked(ledger))
        }
        return each
      })
      const turns = channel("countersign.turn")
      let [broken, parting] = [0, Promise.resolve()]
      const lengths: number[] = []
      for (const [stage, last] of [
        ["taken", 1],
        ["sealed", 1],
        ["sealed", 2],
        ["given", 1],
      ] as const) {
        let count = 0
        const cut = (over: unknown) => {
          if ((over as { stage: string }).stage !== stage || (count += 1) < last) return
          turns.unsubscribe(cut)
          broken += 1
          parting = place.part()
        }
        turns.subscribe(cut)
        const ledger = await host.open().catch(() => undefined)
        turns.unsubscribe(cut)
        await parting
        await ledger?.close()
        place.mend()
        const copy = new DatabaseSync(place.file)
        lengths.push(
          copy.prepare("SELECT max(seq) AS length FROM entries").get()?.["length"] as number,
        )
        copy.close()
      }
      assert.equal(broken, 4)
      assert.ok(
        lengths.some((length) => length > 2 && length < 2 + taken.length),
        lengths.join(),
      )
      await host.reached(async (ledger) => {
        for (const { record, nonce } of taken) {
          assert.equal((await recordOf(ledger, record, ledger.now()))?.nonce, nonce)
        }
        assert.equal(await ledger.count(), 2 + taken.length)
      })
      assert.equal((await verdictOf(place.file)).flaw, undefined)
    }))

  it("never uses a nonce of the machine that has the ledger alone", async () => {
    // One name, key and ledger on two machines, of which one has the ledger's lock.
    const settings = { isolated, reachMs: 3_000, host: "a", hosts: undefined } as never
    const places = await postgresFleet(primary(), ["a", "b"], settings)
    const [here, there] = places
    assert.ok(here && there)
    copyFileSync(join(here.file, "../ledger.key"), join(there.file, "../ledger.key"))
    const [active, waiting] = [hostAt(here), hostAt(there)]
    try {
      await active.reached((ledger) => asked(ledger))
      copyFileSync(here.file, there.file)
      await waiting.reached((ledger) => asked(ledger))
      await active.reached(async (ledger) => {
        const { nonce } = await waiting.parted((isolated) => asked(isolated))
        for (let count = 0; count < 64; count += 1) {
          assert.notEqual((await asked(ledger)).nonce, nonce)
        }
      })
    } finally {
      await Promise.all(places.map((place) => place.remove()))
    }
  })

  it("is told to the others once, though a crash comes after they have it", () =>
    withHosts(async ({ parted, reached, place: { isolatedFile } }) => {
      const { record } = await parted(async (ledger) => {
        const taken = await asked(ledger)
        await ledger.settle(taken.record, { kind: "sent" }, ledger.now())
        return taken
      })
      copyFileSync(isolatedFile, `${isolatedFile}.kept`)
      let count = 0
      await reached(async (ledger) => {
        count = await ledger.count()
      })
      copyFileSync(`${isolatedFile}.kept`, isolatedFile)
      await reached(async (ledger) => {
        assert.equal((await recordOf(ledger, record, ledger.now()))?.state, "sent")
        assert.equal(await ledger.count(), count)
      })
    }))
})
