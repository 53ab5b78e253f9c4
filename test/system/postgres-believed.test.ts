// What a host can have the others believe by the key that it seals with and the certificate of all hosts, on a real PostgreSQL.

import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { sealBatch } from "../../src/vault/ledger/postgres/batch.ts"
import { grantsSql, leaveOutSql } from "../../src/commands/ledger-sql.ts"
import { makeRecordId } from "../../src/vault/ledger/records/record-id.ts"
import { openDatabase } from "../../src/vault/ledger/sqlite/database.ts"
import { canonicalRow, chainHash } from "../../src/vault/ledger/sqlite/journal.ts"
import type { JournalRow } from "../../src/vault/ledger/records/row.ts"
import type { LedgerStore, OpenedState } from "../../src/vault/ledger/store/store.ts"
import { request } from "../properties/ledger-contract.ts"
import { startMs } from "../support/fake-clock.ts"
import { postgresFleet, type PostgresLedgerPlace } from "../support/postgres-ledger.ts"
import { hostRole, needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"

/** What tables of the version before had: hosts insert by themselves. */
const asBefore = `DROP FUNCTION countersign.append_batch;
  GRANT UPDATE (seq, hash, holder, quiet_at) ON countersign.head TO ${hostRole};
  GRANT INSERT ON countersign.batches TO ${hostRole};`

describe("what one host has the others believe", needsPostgres, () => {
  const primary = primaryOfSuite()

  async function withFleet(
    use: (a: PostgresLedgerPlace, b: PostgresLedgerPlace) => Promise<void>,
  ): Promise<void> {
    const [a, b] = await postgresFleet(primary(), ["a", "b"])
    assert.ok(a && b)
    try {
      // Both have an entry: what has none could be of any ledger.
      await opened(a, (first) =>
        opened(b, async (second) => {
          await first.append(request(1))
          await second.turn([], () => undefined)
        }),
      )
      await use(a, b)
    } finally {
      await Promise.all([a.remove(), b.remove()])
    }
  }

  async function opened(
    place: PostgresLedgerPlace,
    use: (store: LedgerStore, state: OpenedState) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    const { store, state } = await place.openStore(startMs)
    store.others?.attend({ followed: () => undefined, settled: () => Promise.resolve() })
    await use(store, state).finally(() => store.close())
  }

  const append = (place: PostgresLedgerPlace, nonce: number) =>
    opened(place, async (store) => {
      await store.append(request(nonce))
    })

  /** What a program does on a host that has its key: it seals what it likes, and adds it at the end. */
  function sealedBy(place: PostgresLedgerPlace, row: object): void {
    const sql = (text: string) => place.sql(text)
    const [ledger = "", last, hash = ""] = sql(
      "SELECT ledger, seq, encode(hash, 'hex') FROM countersign.head",
    ).split("|")
    const seq = Number(last) + 1
    const text = canonicalRow({ ...(row as JournalRow), seq })
    const head = { seq, hash: chainHash(Buffer.from(hash, "hex"), text) }
    const { seal } = sealBatch({ firstSeq: seq, head, host: "b", rows: [text] }, ledger, place.key)
    const hex = (bytes: Uint8Array) => `'\\x${Buffer.from(bytes).toString("hex")}'`
    sql(`UPDATE countersign.head SET seq = ${seq}, hash = ${hex(head.hash)};
      INSERT INTO countersign.batches (first_seq, last_seq, hash, host, rows, seal)
      VALUES (${seq}, ${seq}, ${hex(head.hash)}, 'b', '${text}', ${hex(seal)})`)
  }

  const act = { kind: "act", id: makeRecordId(startMs), at_ms: startMs }
  const senseless: readonly (readonly [string, object, RegExp])[] = [
    [
      "a nonce that is the last of all",
      request(Number.MAX_SAFE_INTEGER),
      /a nonce is 9007199254740991/,
    ],
    ["a nonce that was used", request(1), /used twice/],
    ["an act without its client", { ...act, act: "client_added" }, /"client: /],
  ]

  for (const [what, row, says] of senseless) {
    it(`ends no host for good: ${what}`, () =>
      withFleet(async (a, b) => {
        await append(b, 2)
        await append(a, 3)
        await opened(a, async (store) => {
          sealedBy(b, row)
          const why = (await Promise.race([store.broken, pause(10_000)]))?.message ?? "it goes on"
          if (says.source !== "used twice") assert.match(why, says)
        })
        // Whoever starts is told by whom, and by which command all go on.
        await assert.rejects(opened(a), (error: Error) => {
          assert.match(error.message, says)
          assert.match(error.message, /entries 4 to 4, which host b sealed, can't be followed/)
          assert.match(error.message, /: countersign ledger leave-out --after 3$/)
          return true
        })
        a.sql(leftOut(a, 3))
        await opened(a, async (store, { lastNonces }) => {
          assert.deepEqual([...lastNonces.values()], [3])
          await store.append(request(4))
        })
        assert.equal(a.sql("SELECT first_seq, last_seq, host FROM countersign.left_out"), "4|4|b")
        assert.equal(a.sql("SELECT count(*) FROM countersign.batches"), "4")
      }))
  }

  function leftOut({ file }: PostgresLedgerPlace, after: number): string {
    const database = openDatabase(file)
    try {
      return leaveOutSql(database, after)
    } finally {
      database.close()
    }
  }

  it("leaves nothing out where PostgreSQL has no more, or another entry, than the host on which it was asked", () =>
    withFleet(async (a) => {
      assert.throws(() => leftOut(a, 0), /ends at entry 1, and not at 0/)
      assert.throws(() => leftOut(a, 2), /ends at entry 1, and not at 2/)
      const sql = leftOut(a, 1)
      assert.throws(() => a.sql(sql), /has nothing after entry 1/)
      await append(a, 2)
      a.sql(
        "UPDATE countersign.batches SET hash = decode(repeat('ab', 32), 'hex') WHERE last_seq = 1",
      )
      assert.throws(() => a.sql(sql), /or another entry 1 than this host/)
      assert.equal(a.sql("SELECT count(*) FROM countersign.batches"), "2")
    }))

  it("may add at the end alone, by the function that moves the head there", () =>
    withFleet((a) => {
      const asHost = (text: string) => a.sql(`SET ROLE ${hostRole}; ${text}`)
      for (const text of [
        "INSERT INTO countersign.batches SELECT * FROM countersign.batches",
        "UPDATE countersign.head SET seq = 7",
        "UPDATE countersign.head SET hash = ''",
        "UPDATE countersign.head SET ledger = ''",
        "DELETE FROM countersign.batches",
        "CREATE TABLE countersign.more ()",
      ])
        assert.throws(() => asHost(text), /permission denied/, text)
      const batch = (known: number, seq: number, rows: string) =>
        asHost(`SELECT * FROM countersign.append_batch(${known},
          (SELECT encode(hash, 'hex') FROM countersign.head), ${seq}, 'ab', 'b', ${rows}, '00', 'me')`)
      for (const rows of ["'{}'", "E'{}\\n{}\\n{}'"])
        assert.throws(() => batch(1, 3, rows), /another number of entries than it says/)
      assert.equal(batch(0, 1, "'{}'"), "", "not after another entry than the last")
      assert.equal(a.sql("SELECT seq FROM countersign.head"), "1")
      assert.equal(a.sql("SELECT count(*) FROM countersign.batches"), "1")
      return Promise.resolve()
    }))

  it("goes on in the tables of the version before, and in those that have the new rights then", () =>
    withFleet(async (a, b) => {
      a.sql(asBefore)
      await append(a, 2)
      assert.deepEqual(await rightsOf(a), ["insert"])
      await opened(b, async (store) => {
        await store.append(request(3))
        assert.deepEqual(await store.others?.tellHeard(["bot"]), ["bot"])
      })
      a.sql(grantsSql(hostRole))
      assert.deepEqual(await rightsOf(a), [])
      a.sql(grantsSql(hostRole)) // does no more
      await append(a, 4)
      await opened(b, async (store) => {
        await store.append(request(5))
        assert.deepEqual(await store.others?.tellHeard(["bot"]), ["bot"])
      })
      assert.equal(a.sql("SELECT seq FROM countersign.head"), "5")
    }))

  /** What the role may do that it needn't, as doctor hears it. */
  async function rightsOf(place: PostgresLedgerPlace): Promise<readonly string[]> {
    let rights: unknown
    await opened(place, async ({ replica }) => {
      const { said } = JSON.parse((await replica?.look()) ?? "{}") as { said: string }
      rights = (JSON.parse(said) as { rights: unknown }).rights ?? []
    })
    return rights as readonly string[]
  }

  it("ends no session with more beats than one answer may have", () =>
    withFleet(async (a) => {
      a.sql(
        "INSERT INTO countersign.beats SELECT 'junk ' || n, 1 FROM generate_series(1, 1001) AS n",
      )
      await opened(a, async (store) => {
        await store.others?.tellHeard(["bot"])
        await store.append(request(2))
      })
    }))
})
