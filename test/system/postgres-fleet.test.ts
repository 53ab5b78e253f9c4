// The ledger of several hosts on a real PostgreSQL, each with a copy and a relay of its own.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { LedgerStore, OpenedState } from "../../src/vault/ledger/store/store.ts"
import { contract, keyOf, request } from "../properties/ledger-contract.ts"
import { startMs } from "../support/fake-clock.ts"
import { holdContract } from "../support/hold-contract.ts"
import { postgresFleet, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import {
  needsPostgres,
  postgresPlace,
  startPrimary,
  type PostgresPlace,
  type PostgresServer,
} from "../support/postgres-server.ts"

type Host = {
  readonly place: PostgresLedgerPlace
  readonly store: LedgerStore
  readonly state: OpenedState
  /** The nonces of the requests that it followed. */
  readonly followed: number[]
}

describe("the ledger of several hosts", needsPostgres, () => {
  let place: PostgresPlace
  let server: PostgresServer

  before(async () => {
    place = postgresPlace()
    server = await startPrimary(place)
  })
  after(async () => {
    await server.stop()
    place.remove()
  })

  holdContract(
    "one of several hosts",
    async () => {
      const [first, second] = await postgresFleet(place, server, ["a", "b"])
      assert.ok(first && second)
      await second.remove()
      return first
    },
    contract,
  )

  async function withHosts(
    names: readonly string[],
    use: (...hosts: Host[]) => Promise<void>,
  ): Promise<void> {
    const places = await postgresFleet(place, server, names)
    const hosts = await Promise.all(places.map(opened))
    try {
      await use(...hosts)
    } finally {
      await Promise.all(hosts.map(({ store }) => store.close()))
      await Promise.all(places.map((each) => each.remove()))
    }
  }

  async function opened(of: PostgresLedgerPlace): Promise<Host> {
    const { store, state } = await of.openStore(startMs)
    const followed: number[] = []
    store.others?.attend({
      followed(row) {
        if (row.kind === "request") followed.push(row.nonce)
        return undefined
      },
      settled: () => Promise.resolve(),
    })
    return { place: of, store, state, followed }
  }

  it("has one order: each host follows what others appended before it decides", () =>
    withHosts(["a", "b"], async (a, b) => {
      await a.store.append(request(1))
      const seen = await b.store.turn([], () => [...b.followed])
      assert.deepEqual(seen, [1])
      await b.store.append(request(2))
      await a.store.turn([], () => assert.deepEqual(a.followed, [2]))
      assert.equal(await a.store.run({ kind: "count" }), 2)
      assert.deepEqual(a.store.head(), b.store.head())
    }))

  it("finds a key that another host has recorded a moment ago", () =>
    withHosts(["a", "b"], async (a, b) => {
      const row = request(1, { key: "k-1" })
      await a.store.append(row)
      const found = await b.store.turn([keyOf("k-1")], (turn) => turn.found(keyOf("k-1"))?.row.id)
      assert.equal(found, row.id)
    }))

  it("keeps one order under load of three hosts, each nonce above the last", () =>
    withHosts(["a", "b", "c"], async (...hosts) => {
      let last = 0
      const perHost = 200
      const load = hosts.flatMap((host) =>
        Array.from({ length: 8 }, async () => {
          for (let count = 0; count < perHost / 8; count += 1) {
            await host.store.turn([], () => host.store.append(request((last += 1))))
          }
        }),
      )
      await Promise.all(load)
      const all = hosts.length * perHost
      for (const { store } of hosts) {
        await store.turn([], () => undefined)
        assert.equal(await store.run({ kind: "count" }), all)
      }
      for (const { followed } of hosts) assert.equal(followed.length, 2 * perHost)
    }))

  it("follows what others do though it has nothing to do", () =>
    withHosts(["a", "b"], async (a, b) => {
      await a.store.append(request(1))
      while (b.followed.length === 0) await pause(50)
      assert.deepEqual(b.followed, [1])
    }))
})
