// The ledger of a host that can't reach PostgreSQL, with another host that can: what it takes, and how all of them get it.

import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"

import { nonceCycle, turnNonces } from "../../src/vault/ledger/records/nonce-share.ts"
import type { ReserveAsk } from "../../src/vault/ledger/records/reservation.ts"
import { aClaim, hourMs } from "../support/a-claim.ts"
import { asked, cancel, isolated, withIsolated, type Host } from "../support/isolated-host.ts"
import { recordOf, keyUse, openHold, reserve } from "../support/ledger-ask.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"

const keyed = (key: string): Omit<ReserveAsk, "nowMs"> => ({
  ...cancel,
  entry: { ...cancel.entry, idempotency: { by: "header", key, binding: "ab".repeat(32) } },
})

describe("the ledger of a host that can't reach PostgreSQL", needsPostgres, () => {
  const primary = primaryOfSuite()
  const withHosts = (use: (host: Host, other: Host) => Promise<void>): Promise<void> =>
    withIsolated(primary(), use)

  it("takes cancels, with nonces that nobody else gives out, and all hosts have them once it is back", () =>
    withHosts((host, other) =>
      other.reached(async (there) => {
        const [one, two] = await host.parted(
          async (ledger) => [await asked(ledger), await asked(ledger)] as const,
        )
        const own = turnNonces.last + 1 + isolated.slot
        assert.deepEqual([one.nonce % nonceCycle, two.nonce % nonceCycle], [own, own])
        assert.ok(one.nonce < two.nonce)
        for (let count = 0; count < nonceCycle; count += 1) {
          assert.ok((await asked(there)).nonce % nonceCycle <= turnNonces.last)
        }
        await host.reached(async (ledger) => {
          for (const { record, nonce } of [one, two]) {
            assert.equal((await recordOf(ledger, record, ledger.now()))?.nonce, nonce)
          }
          assert.ok((await asked(ledger)).nonce > two.nonce)
        })
        assert.ok(!existsSync(host.place.isolatedFile))
        await asked(there) // having followed it
        assert.equal((await recordOf(there, one.record, there.now()))?.nonce, one.nonce)
      }),
    ))

  it("refuses what hosts share: orders, what a limit counts, and a person's release", () =>
    withHosts(({ parted }) =>
      parted(async (ledger) => {
        const message = /until 2026-05-28T20:27:40Z it signs only cancels that no limit counts/
        assert.match(ledger.isolated?.stop.message ?? "", message)
        for (const ask of [
          { ...cancel, lane: "open" },
          { ...cancel, lane: "reduce" },
          { ...cancel, claims: [aClaim({ mode: "observe" }), aClaim()] },
          { ...cancel, release: { hold: "hold_1" } },
        ] as const) {
          await ledger.replaceMeters(() => [], hourMs)
          const refused = await reserve(ledger, { ...ask, nowMs: ledger.now() })
          assert.ok(refused.kind === "refused")
          assert.deepEqual(refused.refusal, ledger.isolated?.stop)
        }
        const held = await openHold(ledger, cancel.entry as never)
        assert.ok(!held.ok)
        assert.equal(held.error.code, "isolated")
        await asked(ledger, { ...cancel, claims: [aClaim({ mode: "observe" })] })
      }),
    ))

  it("keeps no sums of limits, which count what it signed when that is told", () =>
    withHosts(async ({ place, clock, parted }) => {
      await parted(async (ledger) => {
        const observed = { ...cancel, claims: [aClaim({ mode: "observe" })] }
        await ledger.replaceMeters(() => [], hourMs, { countedBy: "these limits" })
        await asked(ledger, observed)
        clock.pass(60_000) // after which the next brings a snapshot
        await asked(ledger, observed)
      })
      const copy = new DatabaseSync(place.file)
      assert.deepEqual(copy.prepare("SELECT * FROM meter_snapshots").all(), [])
      copy.close()
    }))

  it("takes no act that others must know of", () =>
    withHosts(({ parted }) =>
      parted(async (ledger) => {
        const untold = /so the other hosts wouldn't know of it: do this on one that reaches it/
        for (const entry of [
          { act: "client_revoked", name: "mm-bot" },
          { act: "clock_accepted" },
        ] as const) {
          await assert.rejects(ledger.act(entry, ledger.now()), untold)
        }
        const release = { to: "released", by: "operator" } as const
        await assert.rejects(ledger.decideHold("hold_1", release, ledger.now()), untold)
        assert.deepEqual(ledger.holds(ledger.now()), [])
        await ledger.act({ act: "asked", method: "lock", by: "operator" }, ledger.now())
        await asked(ledger)
      }),
    ))

  it("gives a key's request again, which stays another host's where that used the key meanwhile", () =>
    withHosts(async (host, other) => {
      const key = (name: string) => ({ client: "mm-bot", by: "header", key: name }) as const
      await host.reached((ledger) => asked(ledger, keyed("k1")))
      const record = await host.parted(async (ledger) => {
        assert.equal((await keyUse(ledger, key("k1"))).kind, "kept")
        const taken = await asked(ledger, keyed("k2"))
        assert.equal((await keyUse(ledger, key("k2"))).kind, "kept")
        return taken.record
      })
      const elsewhere = await other.reached((ledger) => asked(ledger, keyed("k2")))
      await host.reached(async (ledger) => {
        const use = await keyUse(ledger, key("k2"))
        assert.ok(use.kind === "kept")
        assert.equal(use.request.row.id, elsewhere.record)
        assert.equal((await recordOf(ledger, record, ledger.now()))?.idempotency_key, null)
      })
    }))

  it("tells what became of its requests, there and afterwards", () =>
    withHosts(async (host) => {
      const record = await host.parted(async (ledger) => {
        const taken = await asked(ledger)
        await ledger.settle(taken.record, { kind: "sent" }, ledger.now())
        await ledger.settle(
          taken.record,
          { kind: "accepted", status: 200, code: "0" },
          ledger.now(),
        )
        assert.equal((await recordOf(ledger, taken.record, ledger.now()))?.state, "accepted")
        return taken.record
      })
      await host.reached(async (ledger) => {
        assert.equal((await recordOf(ledger, record, ledger.now()))?.state, "accepted")
      })
    }))

  it("doesn't say that it noted what became of a request from before", () =>
    withHosts(async (host) => {
      const { record } = await host.reached((ledger) => asked(ledger))
      const settled = host.parted((ledger) => ledger.settle(record, { kind: "sent" }, ledger.now()))
      await assert.rejects(settled, /tell it what became of it later/)
    }))

  it("ends once PostgreSQL is reached, so that it is opened anew", () =>
    withHosts(async ({ place, open }) => {
      await place.part()
      const ledger = await open()
      place.mend()
      assert.match((await ledger.broken).message, /PostgreSQL is reached again/)
      await assert.rejects(asked(ledger), /PostgreSQL is reached again/)
      await ledger.close()
    }))
})
