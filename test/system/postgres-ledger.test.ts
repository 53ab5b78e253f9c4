// The ledger on a real PostgreSQL, through the relay's own code, as one host has it.

import assert from "node:assert/strict"
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs"
import { once } from "node:events"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { createSecureContext } from "node:tls"
import { describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { keepServer, retrySignal } from "../../src/relay/keep-server.ts"
import { relayLimits } from "../../src/relay/relay-limits.ts"
import type { Fault } from "../../src/std/fault.ts"
import { passingCodes } from "../../src/std/systemd.ts"
import { openSqliteStore } from "../../src/vault/ledger/open-sqlite-store.ts"
import { postgresStore } from "../../src/vault/ledger/postgres/open-store.ts"
import { putBackSql } from "../../src/commands/ledger-sql.ts"
import { makeRecordId } from "../../src/vault/ledger/records/record-id.ts"
import { openDatabase, prepareLedgerFile } from "../../src/vault/ledger/sqlite/database.ts"
import type { LedgerStore, OpenStore } from "../../src/vault/ledger/store/store.ts"
import { startMs } from "../support/fake-clock.ts"
import { holdContract } from "../support/hold-contract.ts"
import { moved, postgresLedgerPlace, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import {
  hostRole,
  needsPostgres,
  startStandby,
  type PostgresServer,
} from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { until } from "../support/process-tree.ts"
import { request } from "../properties/ledger-contract.ts"

describe("the ledger on PostgreSQL", { timeout: 900_000, ...needsPostgres }, () => {
  const primary = primaryOfSuite()

  holdContract("PostgreSQL, with a copy in SQLite", () => postgresLedgerPlace(primary()))

  async function withLedger(use: (ledger: PostgresLedgerPlace) => Promise<void>): Promise<void> {
    const ledger = await postgresLedgerPlace(primary())
    try {
      await use(ledger)
    } finally {
      await ledger.remove()
    }
  }

  /** Appends requests with these nonces, one commit each, and closes. */
  async function append({ openStore }: PostgresLedgerPlace, ...nonces: number[]): Promise<void> {
    const { store } = await openStore(startMs)
    for (const nonce of nonces) await store.append(request(nonce))
    assert.equal(await store.close(), "whole")
  }

  async function noncesIn(store: LedgerStore): Promise<readonly number[]> {
    const after = { countedAtMs: 0, seq: 0 }
    const rows = await store.run("history", after, store.head().seq)
    return rows.map(({ row }) => row.nonce)
  }

  /** Opened and closed. */
  async function reopened({ openStore }: PostgresLedgerPlace) {
    const opened = await openStore(startMs)
    await opened.store.close()
    return opened
  }

  async function refusal({ openStore }: PostgresLedgerPlace): Promise<string> {
    const opened = await openStore(startMs).catch((error: unknown) => error as Error)
    if (opened instanceof Error) return opened.message
    await opened.store.close()
    return assert.fail("it opened")
  }

  /** As a server is that was restored to an earlier time. */
  const forgetAllBut1 = `DELETE FROM countersign.batches WHERE last_seq > 1;
    UPDATE countersign.head SET (seq, hash) = (SELECT last_seq, hash FROM countersign.batches)`

  function putBack(
    { file, postgres: { host }, key }: PostgresLedgerPlace,
    afterSeq: number,
    named?: string,
  ) {
    const database = openDatabase(file)
    try {
      return [...putBackSql(database, { host, key, afterSeq, named })].join("")
    } finally {
      database.close()
    }
  }

  it("has in PostgreSQL what was appended, before the caller hears of it", () =>
    withLedger(async (ledger) => {
      const { store } = await ledger.openStore(startMs)
      await store.append(request(1))
      assert.equal(ledger.sql("SELECT seq FROM countersign.head"), "1")
      assert.equal(
        ledger.sql("SELECT last_seq, host, rows::jsonb ->> 'nonce' FROM countersign.batches"),
        "1|a|1",
      )
      await store.close()
    }))

  it("brings a copy that lost its last entries up to PostgreSQL", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      const { identity } = (await reopened(ledger)).state
      cpSync(ledger.file, `${ledger.file}.early`)
      await append(ledger, 2, 3)
      cpSync(`${ledger.file}.early`, ledger.file)
      const { store, state } = await ledger.openStore(startMs)
      assert.deepEqual(await noncesIn(store), [1, 2, 3])
      assert.deepEqual([...state.lastNonces.values()], [3])
      assert.equal(state.identity.ledger, identity.ledger)
      await store.append(request(4))
      await store.close()
      await append(ledger, 5)
      assert.equal(ledger.sql("SELECT count(*) FROM countersign.batches"), "5")
    }))

  it("brings a copy up that lacks more than one answer of PostgreSQL's may have", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      cpSync(ledger.file, `${ledger.file}.early`)
      const { store } = await ledger.openStore(startMs)
      const body = "x".repeat(10 * 1_048_576)
      for (let nonce = 2; nonce <= 9; nonce += 1) await store.append({ ...request(nonce), body })
      await store.close()
      cpSync(`${ledger.file}.early`, ledger.file)
      const opened = await ledger.openStore(startMs)
      assert.equal(opened.store.head().seq, 9)
      await opened.store.close()
    }))

  it("doesn't begin with an empty copy of a ledger that isn't", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      rmSync(ledger.file)
      await prepareLedgerFile(ledger.file)
      assert.match(await refusal(ledger), /copy of the ledger is empty.*put a back-up of ledger.db/)
    }))

  it("doesn't add to PostgreSQL what this host wrote alone", () =>
    withLedger(async (ledger) => {
      const { store } = await openSqliteStore(ledger.file, startMs)
      await store.append(request(1))
      await store.close()
      assert.match(await refusal(ledger), /PostgreSQL ends at entry 0, and this host at 1/)
    }))

  it("appends nothing where another has appended meanwhile, and is broken", () =>
    withLedger(async (ledger) => {
      const { store } = await ledger.openStore(startMs)
      ledger.sql("UPDATE countersign.head SET seq = 7")
      await assert.rejects(store.append(request(1)), /Another Countersign has added/)
      assert.match((await store.broken).message, /Another Countersign has added/)
      assert.equal(await store.close(), "broken")
      assert.equal(ledger.sql("SELECT count(*) FROM countersign.batches"), "0")
    }))

  it("is broken as soon as its session ends, though nothing is asked of it", () =>
    withLedger(async (ledger) => {
      const { store } = await ledger.openStore(startMs)
      ledger.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countersign a'",
      )
      assert.match((await store.broken).message, /terminating connection/)
      await store.close()
      await append(ledger, 1)
    }))

  it("lets only one at a time have it", () =>
    withLedger(async (ledger) => {
      const held = ledger.sql("SELECT pg_try_advisory_lock(hashtextextended('countersign', 0))")
      assert.equal(held, "t") // for as long as psql ran
      const { store } = await ledger.openStore(startMs)
      assert.equal(
        ledger.sql("SELECT pg_try_advisory_lock(hashtextextended('countersign', 0))"),
        "f",
      )
      await store.close()
    }))

  /** Opens it where only the test dials: a server that is starting up, and once that is sent away `next`, once. */
  async function openAfterStartingUp(
    { file, isolatedFile, postgres }: PostgresLedgerPlace,
    next: PostgresServer,
    use: (opening: ReturnType<OpenStore>) => Promise<void>,
  ): Promise<void> {
    const path = join(dirname(file), "other.sock")
    const keyFile = join(dirname(file), "ledger.key")
    const files = { file, isolatedFile, keyFile }
    const openStore = postgresStore({ ...files, place: { path }, postgres, reachMs: 5_000 })
    const opening = openStore(startMs)
    opening.catch(() => undefined) // told to `use`
    await until(() => existsSync(path) || undefined, "it listens")
    const starting = connect({ path, allowHalfOpen: true })
    starting.write('{"server":"db1"}\n')
    await once(starting, "data")
    starting.write(startingUp())
    await once(starting, "end")
    starting.destroy()
    const stop = new AbortController()
    const relay = keepServer(dialsOnce(path, next), stop.signal)
    try {
      await use(opening)
    } finally {
      stop.abort()
      await relay
    }
  }

  it("takes a way that is opened the moment another has led nowhere: the next may be long in coming", () =>
    withLedger((ledger) =>
      openAfterStartingUp(ledger, primary().server, async (opening) => {
        const { store } = await opening
        await store.close()
      }),
    ))

  it("says what hinders the primary, whichever standby it has reached besides", () =>
    withLedger(async (ledger) => {
      // From here on, so that it has the ledger's database from its beginning.
      const standby = await startStandby(primary().place, primary().server, { name: "beside" })
      try {
        await openAfterStartingUp(ledger, standby, (opening) =>
          assert.rejects(opening, /PostgreSQL says: "the database system is starting up/),
        )
      } finally {
        await standby.stop()
      }
    }))

  /** PostgreSQL's word for not yet. */
  function startingUp(): Buffer {
    const fields = "SFATAL\0C57P03\0Mthe database system is starting up\0\0"
    const length = Buffer.alloc(4)
    length.writeInt32BE(4 + fields.length)
    return Buffer.concat([Buffer.from("E"), length, Buffer.from(fields)])
  }

  function dialsOnce(
    ledgerSocket: string,
    { port }: PostgresServer,
  ): Parameters<typeof keepServer>[0] {
    const { ca, clients } = primary().place.certificates
    const { certificate, key } = clients[hostRole]
    const [authority, cert] = [readFileSync(ca), readFileSync(certificate)]
    const context = createSecureContext({ ca: authority, cert, key: readFileSync(key) })
    return {
      server: { name: "db1", host: "127.0.0.1", port },
      secureContext: () => context,
      ledgerSocket,
      limits: { ...relayLimits, shortestPauseMs: 60_000, longestPauseMs: 60_000 },
      retry: retrySignal(),
      onConnected: () => undefined,
      onLost: () => undefined,
    }
  }

  it("gives its role no right to alter or take away what was recorded", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      const as = (text: string) => () => ledger.sql(`SET ROLE ${ledger.postgres.role}; ${text}`)
      for (const text of [
        "UPDATE countersign.batches SET rows = ''",
        "DELETE FROM countersign.batches",
        "TRUNCATE countersign.batches",
        "DELETE FROM countersign.head",
        "UPDATE countersign.head SET ledger = 'x'",
        "INSERT INTO countersign.head VALUES (true, 'x', 0, '')",
        "CREATE TABLE countersign.more (one int)",
        "ALTER TABLE countersign.batches DISABLE TRIGGER ALL",
      ]) {
        assert.throws(as(text), /permission denied|must be owner/, text)
      }
    }))

  it("doesn't begin where PostgreSQL waits for fewer standbys than it is told to ask for", () =>
    withLedger(async (ledger) => {
      Object.assign(ledger.postgres, { replicas: 1 })
      assert.match(
        await refusal(ledger),
        /PostgreSQL waits for 0 standbys and ledger.replicas asks for 1; set synchronous_standby_names/,
      )
    }))

  it("takes nothing for durable that its standby hasn't got", async () => {
    const standby = await startStandby(primary().place, primary().server, { name: "standby1" })
    const wait = (names: string): void => {
      primary().server.sql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, "postgres")
      primary().server.sql("SELECT pg_reload_conf()", "postgres")
    }
    const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    const isWaiting = async () => (await primary().server.ask(waiting)) !== "" || undefined
    const untilWaiting = () => until(isWaiting, "a commit waits for the standby")
    wait("standby1")
    const ledger = await postgresLedgerPlace(primary(), { replicas: 1, commitTimeoutMs: 5_000 })
    try {
      await append(ledger, 1)

      // An admin ends the wait by the setting: PostgreSQL says nothing of it.
      let { store } = await ledger.openStore(startMs)
      standby.pause()
      const released = store.append(request(2))
      await untilWaiting()
      wait("")
      await assert.rejects(released, /PostgreSQL waits for 0 standbys/)
      await store.close()
      standby.goOn()
      wait("standby1")

      // The same, while a start waits for the standby.
      standby.pause()
      const refused = refusal(ledger)
      await untilWaiting()
      wait("")
      assert.match(await refused, /PostgreSQL waits for 0 standbys/)
      standby.goOn()
      wait("standby1")

      // The server comes back with an entry that the standby never had.
      ;({ store } = await ledger.openStore(startMs))
      await standby.kill()
      await assert.rejects(store.append(request(3)), /didn't answer in time/)
      await store.close()
      await primary().server.kill()
      await primary().server.start()
      let isOpen = false
      // As its unit does, should the standby be slow.
      const again = (error: unknown): ReturnType<OpenStore> => {
        assert.ok(passingCodes.has((error as Fault).code), String(error))
        return ledger.openStore(startMs)
      }
      const opening = ledger
        .openStore(startMs)
        .catch(again)
        .finally(() => (isOpen = true))
      await pause(3_000)
      assert.equal(isOpen, false)
      await standby.start()
      await (await opening).store.close()
    } finally {
      wait("") // before all that could fail: else whatever is written there waits for good
      standby.goOn()
      await ledger.remove()
      await standby.stop()
    }
  })

  it("refuses a PostgreSQL that doesn't have what this host has", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1, 2)
      ledger.sql(forgetAllBut1)
      assert.match(await refusal(ledger), /ends at entry 1, .* put-back --after 1$/)
    }))

  it("goes on with what was put back there, each entry as a batch of its own", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1, 2, 3)
      ledger.sql(forgetAllBut1)
      const sql = putBack(ledger, 1)
      ledger.sql(sql)
      assert.equal(
        ledger.sql("SELECT first_seq, last_seq, host FROM countersign.batches WHERE last_seq > 1"),
        "2|2|a\n3|3|a",
      )
      await append(ledger, 4)
      assert.throws(() => ledger.sql(sql), /isn't the ledger of host a as it was at entry 1/)
      await append(ledger, 5)
    }))

  it("puts back by the name that the ledger has there, though a restore was accepted here since", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      const { store } = await ledger.openStore(startMs)
      const accepted = { act: "restore_accepted", ledger: "ab".repeat(16), signers: [] } as const
      await store.append({ kind: "act", id: makeRecordId(startMs), at_ms: startMs, ...accepted })
      await store.close()
      await append(ledger, 2)
      ledger.sql(forgetAllBut1)
      const [, name] =
        / put-back --after 1 --ledger ([0-9a-f]{32})$/.exec(await refusal(ledger)) ?? []
      ledger.sql(putBack(ledger, 1, name))
      await append(ledger, 3)
    }))

  it("puts back each letter as it was, whatever the database has clients' texts and literals read as", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      const { store } = await ledger.openStore(startMs)
      await store.append({ ...request(2), client_order_id: "Ł漢😀\\" })
      await store.close()
      const sql = putBack(ledger, 1)
      ledger.sql(forgetAllBut1)
      const { database } = ledger.postgres
      ledger.sql(`ALTER DATABASE ${database} SET client_encoding = 'LATIN1'`)
      ledger.sql(`ALTER DATABASE ${database} SET standard_conforming_strings = 'off'`)
      ledger.sql(sql)
      await append(ledger, 3)
      const early =
        "SELECT rows::jsonb ->> 'client_order_id' = E'Ł漢😀\\\\' FROM countersign.batches"
      assert.equal(ledger.sql(`SET client_encoding TO 'UTF8'; ${early} WHERE last_seq = 2`), "t")
    }))

  it("isn't moved into a database that can't hold each letter", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      const server = primary().server
      const { database } = ledger.postgres
      const other = `${database}_ascii`
      server.sql(
        `CREATE DATABASE ${other} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`,
        "postgres",
      )
      assert.throws(
        () => server.sql(moved(ledger.file, ledger.postgres, ledger.key), other),
        /isn't in UTF8; make it anew: createdb/,
      )
    }))

  it("puts nothing back into a PostgreSQL that went on otherwise, or that lost nothing", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1, 2)
      assert.throws(
        () => putBack(ledger, 2),
        /nothing to put back after entry 2: its last one is 2/,
      )
      assert.throws(() => putBack(ledger, 7), /nothing to put back after entry 7/)
      const sql = putBack(ledger, 1)
      ledger.sql(forgetAllBut1)
      ledger.sql("UPDATE countersign.head SET hash = decode(repeat('ab', 32), 'hex')")
      assert.throws(() => ledger.sql(sql), /isn't the ledger of host a as it was at entry 1/)
      assert.equal(ledger.sql("SELECT seq FROM countersign.head"), "1")
      assert.equal(ledger.sql("SELECT count(*) FROM countersign.batches"), "1")
    }))

  it("refuses a PostgreSQL with another entry in the place of this host's last", () =>
    withLedger(async (ledger) => {
      await append(ledger, 1)
      ledger.sql("UPDATE countersign.batches SET hash = decode(repeat('ab', 32), 'hex')")
      assert.match(await refusal(ledger), /have different entries 1/)
    }))

  it("says what to run where no ledger was moved to it yet", () =>
    withLedger(async (ledger) => {
      ledger.sql("DELETE FROM countersign.head")
      assert.match(await refusal(ledger), /has no ledger yet; .*countersign ledger move/)
    }))

  for (const [what, alter, says] of [
    [
      "an entry that was changed",
      "UPDATE countersign.batches SET rows = replace(rows, '\"nonce\":2', '\"nonce\":9')",
      /an entry from 2 to 2 was changed/,
    ],
    [
      "a batch that was taken out",
      "DELETE FROM countersign.batches WHERE last_seq = 2",
      /entry 2 is missing/,
    ],
    [
      "a tail that is hidden",
      "DELETE FROM countersign.batches WHERE last_seq = 3",
      /its last entry is said to be 3, and is 2/,
    ],
    [
      "an entry in the name of a host that isn't known",
      "UPDATE countersign.batches SET host = 'b' WHERE last_seq = 2",
      /host "b" isn't known here/,
    ],
    [
      "a seal of another key",
      "UPDATE countersign.batches SET seal = decode(repeat('00', 64), 'hex') WHERE last_seq = 2",
      /entries 2 to 2 aren't sealed by host a/,
    ],
    [
      "two batches that were exchanged",
      "UPDATE countersign.batches AS one SET (rows, hash, seal) = (SELECT rows, hash, seal FROM countersign.batches WHERE last_seq = 5 - one.last_seq) WHERE last_seq IN (2, 3)",
      /an entry from 2 to 2 was changed/,
    ],
  ] as const) {
    it(`refuses ${what}`, () =>
      withLedger(async (ledger) => {
        await append(ledger, 1)
        cpSync(ledger.file, `${ledger.file}.early`)
        await append(ledger, 2, 3)
        cpSync(`${ledger.file}.early`, ledger.file)
        ledger.sql(alter)
        assert.match(await refusal(ledger), says)
      }))
  }
})
