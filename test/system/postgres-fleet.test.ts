// The ledger of several hosts on a real PostgreSQL, each with a copy and a relay of its own.

import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { vaultFamilies } from "../../src/conditions/vault-families.ts"
import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import type { LedgerStore, OpenedState } from "../../src/vault/ledger/store/store.ts"
import { contract, keyOf, request } from "../properties/ledger-contract.ts"
import { noMeasures } from "../support/facts.ts"
import { startMs } from "../support/fake-clock.ts"
import { holdContract } from "../support/hold-contract.ts"
import { postgresFleet, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import { needsPostgres, startStandby, type PostgresServer } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { until } from "../support/process-tree.ts"

type Host = {
  readonly place: PostgresLedgerPlace
  readonly store: LedgerStore
  readonly state: OpenedState
  /** The nonces of the requests that it followed. */
  readonly followed: number[]
}

describe("the ledger of several hosts", { timeout: 900_000, ...needsPostgres }, () => {
  const primary = primaryOfSuite()

  holdContract(
    "one of several hosts",
    async () => {
      const [first, second] = await postgresFleet(primary(), ["a", "b"])
      assert.ok(first && second)
      await second.remove()
      return first
    },
    contract,
  )

  async function withHosts(
    names: readonly string[],
    use: (...hosts: Host[]) => Promise<void>,
    settings: Partial<PostgresLedger> = {},
  ): Promise<void> {
    const places = await postgresFleet(primary(), names)
    for (const { postgres } of places) Object.assign(postgres, settings)
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
      assert.equal(await a.store.run("count"), 2)
      assert.deepEqual(a.store.head(), b.store.head())
    }))

  describe("whose commits wait for a standby", () => {
    let standby: PostgresServer
    const wait = (names: string): void => {
      primary().server.sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, "postgres")
      primary().server.sql("SELECT pg_reload_conf()", "postgres")
    }
    before(async () => {
      standby = await startStandby(primary().place, primary().server, { name: "standby1" })
      wait("standby1")
    })
    after(async () => {
      standby.goOn()
      wait("")
      await standby.stop()
    })

    it("follows what was given on, without a commit of its own: whoever gave it had it durable", () =>
      withHosts(
        ["a", "b"],
        async (a, b) => {
          await a.store.append(request(1))
          const holder = () => a.place.ask("SELECT holder FROM countersign.head")
          await until(async () => (await holder()) === "" || undefined, "nobody has the turn")
          standby.pause()
          const seen = await b.store.turn([], () => [...b.followed]).finally(() => standby.goOn())
          assert.deepEqual(seen, [1])
        },
        { replicas: 1 },
      ))

    it("follows what a session left that broke off only once the standby has it", () =>
      withHosts(
        ["a", "b"],
        async (a, b) => {
          // In its turn: nothing of b's waits for the standby before it.
          const pausing = () => (standby.pause(), a.store.append(request(1)))
          const lost = assert.rejects(a.store.turn([], pausing))
          const waiting =
            "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = 'countersign a'"
          const end = `SELECT pg_terminate_backend(pid) FROM (${waiting}) AS waiting`
          await until(async () => (await a.place.ask(end)) !== "" || undefined, "a's commit waits")
          await lost
          assert.equal(await a.place.ask("SELECT seq FROM countersign.head"), "1") // visible
          const followed = b.store.turn([], () => [...b.followed]).finally(() => standby.goOn())
          await pause(1_000)
          assert.deepEqual(b.followed, [])
          standby.goOn()
          assert.deepEqual(await followed, [1])
        },
        { replicas: 1 },
      ))
  })

  it("finds a key that another host has recorded a moment ago", () =>
    withHosts(["a", "b"], async (a, b) => {
      const row = request(1, { key: "k-1" })
      await a.store.append(row)
      const found = await b.store.turn([keyOf("k-1")], (turn) => turn.found(keyOf("k-1"))?.row.id)
      assert.equal(found, row.id)
    }))

  it("gives a repeat out only behind a commit, though it adds nothing", () =>
    withHosts(["a", "b"], async (a) => {
      await a.store.append(request(1, { key: "k-1" }))
      let isOut = false
      const repeat = a.store
        .turn([keyOf("k-1")], (turn) => {
          primary().server.pause()
          return turn.found(keyOf("k-1"))
        })
        .finally(() => (isOut = true))
      await pause(500)
      const wasOut = isOut
      primary().server.goOn()
      assert.ok(await repeat)
      assert.equal(wasOut, false)
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
        assert.equal(await store.run("count"), all)
      }
      for (const { followed } of hosts) assert.equal(followed.length, 2 * perHost)
    }))

  it("follows what others do though it has nothing to do", () =>
    withHosts(["a", "b"], async (a, b) => {
      await a.store.append(request(1))
      while (b.followed.length === 0) await pause(50)
      assert.deepEqual(b.followed, [1])
    }))

  /** The values of one of its metrics, by the hosts that they are of. */
  function metricOf({ store }: Host, name: string): ReadonlyMap<string, number> {
    const family = vaultFamilies({ ...noMeasures, commits: store.commits.read() }).find(
      (each) => each.name === `countersign_${name}`,
    )
    assert.ok(family !== undefined, name)
    return family.type === "histogram"
      ? new Map(family.series.map(([, { counts }]) => ["", counts.reduce((a, b) => a + b, 0)]))
      : new Map(family.series.map(([[host = ""], value]) => [host, value]))
  }

  it("tells what its turns took, how far it has followed, and whom it heard", () =>
    withHosts(["a", "b"], async (a, b) => {
      const heardMs = () =>
        (metricOf(a, "ledger_host_heard_timestamp_seconds").get("b") ?? 0) * 1_000
      const beganMs = heardMs()
      await b.store.append(request(1))
      await a.store.turn([], () => undefined)
      const counted = ["ledger_turn_wait_seconds", "ledger_turn_hold_seconds", "ledger_head_entry"]
      for (const name of counted) while (metricOf(a, name).get("") === 0) await pause(20)
      assert.equal(metricOf(a, "ledger_head_entry").get(""), 1)
      while (heardMs() <= beganMs + 3_000) await pause(50)
      await b.store.close()
      const lastMs = Date.now()
      await pause(6_000) // until a has asked again
      assert.ok(heardMs() <= lastMs, "b is heard though it is gone")
    }))

  it("hears nobody where the role may not ask who is there, and goes on", () =>
    withHosts(["a", "b"], async (a) => {
      a.place.sql("REVOKE SELECT ON pg_stat_activity FROM PUBLIC")
      while (metricOf(a, "ledger_host_heard_timestamp_seconds").size > 0) await pause(50)
      await a.store.append(request(1))
    }))

  /** An idle host looks once a second: until then it has seen no more than request 1 of `b`. */
  async function untilVisited(a: Host, b: Host): Promise<void> {
    await b.store.append(request(1))
    while (a.followed.length === 0) await pause(5)
  }

  const hostile: readonly (readonly [string, string, RegExp])[] = [
    [
      "an entry of another host that was changed",
      `UPDATE countersign.batches SET rows = replace(rows, '"nonce":2', '"nonce":9') WHERE last_seq = 2`,
      /an entry from 2 to 2 was changed/,
    ],
    [
      "a batch of another host that was taken out",
      "DELETE FROM countersign.batches WHERE last_seq = 2",
      /entry 2 is missing/,
    ],
    [
      "another host's last batch that is hidden",
      "DELETE FROM countersign.batches WHERE last_seq = 3",
      /its last entry is said to be 3, and is 2/,
    ],
    [
      "an entry in the name of a host that isn't known",
      "UPDATE countersign.batches SET host = 'c' WHERE last_seq = 2",
      /host "c" isn't known here/,
    ],
    [
      "another host's entry in this one's name",
      "UPDATE countersign.batches SET host = 'a' WHERE last_seq = 2",
      /Another Countersign has added to the ledger/,
    ],
    [
      "another host's entry whose seal isn't that host's",
      "UPDATE countersign.batches SET seal = decode(repeat('00', 64), 'hex') WHERE last_seq = 3",
      /entries 3 to 3 aren't sealed by host b/,
    ],
    [
      "two batches of another host that were exchanged",
      "UPDATE countersign.batches AS one SET (rows, hash, seal) = (SELECT rows, hash, seal FROM countersign.batches WHERE last_seq = 5 - one.last_seq) WHERE last_seq IN (2, 3)",
      /an entry from 2 to 2 was changed/,
    ],
    [
      "another ledger in its place",
      "TRUNCATE countersign.batches; UPDATE countersign.head SET (seq, hash) = (7, decode(repeat('ab', 32), 'hex'))",
      /its last entry is said to be 7, and is 1/,
    ],
  ]

  /** Ten times as long as `a` takes to look again; where it looked before, it ends by nothing, or by another word. */
  const looksMs = 10_000
  const tries = 3

  for (const [what, alter, says] of hostile) {
    it(`ends a host that is shown ${what}`, async () => {
      let why: string | undefined
      for (let count = 0; count < tries && !says.test(why ?? ""); count += 1) {
        await withHosts(["a", "b"], async (a, b) => {
          await untilVisited(a, b)
          await b.store.append(request(2))
          await b.store.append(request(3))
          a.place.sql(alter)
          why = (await Promise.race([a.store.broken, pause(looksMs)]))?.message
          if (why !== undefined) assert.equal(await a.store.close(), "broken")
        })
      }
      assert.match(why ?? "it goes on", says)
    })
  }

  it("has no turn that it is told it hasn't, though one is given on as the wait for it ends", () =>
    withHosts(["a"], async (a) => {
      await a.store.close()
      const lock = "(hashtextextended('countersign', 0))"
      const { database } = a.place.postgres
      const giving = primary().server.ask(
        `DO $$ BEGIN FOR turn IN 1..300 LOOP
          PERFORM pg_advisory_lock${lock}, pg_sleep(0.0195 + random() * 0.001), pg_advisory_unlock${lock};
        END LOOP; END $$`,
        database,
      )
      const waiting = primary().server.ask(
        `DO $$ DECLARE said text; BEGIN FOR turn IN 1..200 LOOP
          SELECT outcome INTO said FROM countersign.take_turn('w', 0, '20ms');
          IF said = 'taken' THEN PERFORM pg_advisory_unlock${lock};
          ELSIF EXISTS (SELECT FROM countersign.turns WHERE granted AND pid = pg_backend_pid())
          THEN RAISE EXCEPTION '%, and has it', said;
          END IF;
        END LOOP; END $$`,
        database,
      )
      await Promise.all([giving, waiting])
    }))

  it("can't join again what was shown apart", async () => {
    let why: string | undefined
    for (let count = 0; count < tries && why === undefined; count += 1) {
      await withHosts(["a", "b"], async (a, b) => {
        await untilVisited(a, b)
        await b.store.append(request(2))
        a.place.sql(
          `DELETE FROM countersign.batches WHERE last_seq = 2;
           UPDATE countersign.head SET (seq, hash) = (SELECT last_seq, hash FROM countersign.batches)`,
        )
        why = await a.store.append(request(2)).then(
          async () => (await b.store.broken).message, // a has the room that b has used
          () => undefined,
        )
      })
    }
    assert.match(why ?? "a looked before", /its last entry is said|was changed|missing/)
  })
})
