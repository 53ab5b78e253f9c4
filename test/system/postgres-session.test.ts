// The session of the vault with a real PostgreSQL: over TLS with a client's certificate, as the relay opens it.

import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { once } from "node:events"
import { connect as connectTcp } from "node:net"
import type { Duplex } from "node:stream"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"
import { connect as connectTls } from "node:tls"

import { openSession, type Session } from "../../src/vault/ledger/postgres/session.ts"
import { isTurnWanted, takeTurn } from "../../src/vault/ledger/postgres/turns.ts"
import { parseMessage, runMessages } from "../../src/vault/ledger/postgres/wire.ts"
import { postgresLedgerPlace } from "../support/postgres-ledger.ts"
import { hostRole, needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { until } from "../support/process-tree.ts"

/** Sync's length, which ends each batch. */
const sync = 5

const usual = {
  role: hostRole,
  database: "countersign",
  application: "countersign a",
  timeoutMs: 10_000,
}

describe("a session with PostgreSQL", needsPostgres, () => {
  const primary = primaryOfSuite()
  before(() => {
    primary().server.sql(
      `CREATE ROLE ${hostRole} LOGIN; CREATE TABLE notes (text text); GRANT ALL ON notes TO ${hostRole}`,
    )
  })

  /** As the relay does. */
  async function dial(name: typeof hostRole | "stranger" = hostRole): Promise<Duplex> {
    const { ca, clients } = primary().place.certificates
    const socket = connectTcp(primary().server.port, "127.0.0.1")
    socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
    const [answer] = (await once(socket, "data")) as [Buffer]
    assert.equal(answer.toString(), "S")
    const { certificate, key } = clients[name]
    const stream = connectTls({
      socket,
      ca: readFileSync(ca),
      cert: readFileSync(certificate),
      key: readFileSync(key),
      servername: "localhost",
    })
    await once(stream, "secureConnect")
    return stream
  }

  it("runs statements with values, and answers with text", async () => {
    const session = await openSession(await dial(), usual)
    const text = "SELECT $1::text, $2::int + 1, NULL, current_setting('synchronous_commit')"
    for (const word of ["ä\n\\\"'", ""]) {
      assert.deepEqual((await session.run({ text, values: [word, "41"] }))[0], [
        [word, "42", null, "on"],
      ])
    }
    assert.deepEqual(await session.run({ text: "SELECT generate_series(1, 3)", values: [] }), [
      [["1"], ["2"], ["3"]],
    ])
    session.end()
  })

  it("takes rows of several megabytes", async () => {
    const session = await openSession(await dial(), usual)
    const [[[text] = []] = []] = await session.run({
      text: "SELECT repeat('x', 8000000)",
      values: [],
    })
    assert.equal(text?.length, 8_000_000)
    session.end()
  })

  it("ends with the first error, in the server's own words", async () => {
    const session = await openSession(await dial(), usual)
    await assert.rejects(session.run({ text: "SELECT 1 / 0", values: [] }), {
      code: "ledger_unavailable",
      message:
        'PostgreSQL says: "division by zero" (22012); nothing is signed until it is reached.',
    })
    await assert.rejects(session.run({ text: "SELECT 1", values: [] }), /division by zero/)
    assert.match((await session.ended).message, /division by zero/)
  })

  it("ends with a warning, whatever was answered besides", async () => {
    const session = await openSession(await dial(), usual)
    const text = "DO $$ BEGIN RAISE WARNING 'look'; END $$"
    await assert.rejects(session.run({ text, values: [] }), /PostgreSQL says: "look" \(01000\)/)
  })

  it("ends when an answer takes too long", async () => {
    const session = await openSession(await dial(), { ...usual, timeoutMs: 2_000 })
    await assert.rejects(
      session.run({ text: "SELECT pg_sleep(30)", values: [] }),
      /didn't answer in time/,
    )
  })

  it("ends when the server is shut down, though nothing is asked of it", async () => {
    const session = await openSession(await dial(), usual)
    primary().server.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'countersign a'",
    )
    assert.match(
      (await session.ended).message,
      /"terminating connection due to administrator command" \(57P01\)/,
    )
  })

  /** The stream of the session that has the turn, and the ledger's database. */
  type TurnPlace = { readonly stream: Duplex; readonly database: string }

  /** Two sessions on a ledger, of which the first has the turn. */
  async function withTurn(
    use: (holder: Session, other: Session, at: TurnPlace) => Promise<void>,
  ): Promise<void> {
    const place = await postgresLedgerPlace(primary())
    const at = { ...usual, database: place.postgres.database }
    const stream = await dial()
    const holder = await openSession(stream, at)
    const other = await openSession(await dial(), at)
    try {
      assert.equal((await takeTurn(holder, turnAsk("holder"))).outcome, "taken")
      await use(holder, other, { stream, database: at.database })
    } finally {
      holder.end()
      other.end()
      await place.remove()
    }
  }

  const turnAsk = (me: string) => ({ me, known: 0, patienceMs: 500 })
  /** Waits until the holder that was ended has gone. */
  const patient = { ...turnAsk("other"), patienceMs: 10_000 }

  it("ends another that keeps the turn, and hears nothing where that has ended already", () =>
    withTurn(async (holder, other) => {
      const [[[pid = null] = []] = []] = await holder.run({
        text: "SELECT pg_backend_pid()",
        values: [],
      })
      const end = () => other.run({ text: "SELECT end_session($1::int)", values: [pid] })
      const isThere = `SELECT count(*) FROM pg_stat_activity WHERE pid = ${pid}`
      await end()
      assert.match((await holder.ended).message, /terminating connection/)
      await until(() => (primary().server.sql(isThere) === "0" ? true : undefined), "it has ended")
      await end()
    }))

  const nothing = "SELECT WHERE false"
  const silences: readonly (readonly [what: string, bytes: Buffer])[] = [
    ["has the turn and does nothing", Buffer.alloc(0)],
    ["was cut off between two messages", parseMessage("half", nothing)],
    ["was cut off amid a message", parseMessage("half", nothing).subarray(0, -1)],
    [
      "was cut off before what ends a batch",
      Buffer.concat([parseMessage("half", nothing), runMessages("half", []).subarray(0, -sync)]),
    ],
  ]
  for (const [what, bytes] of silences) {
    it(`takes the turn from one that ${what}`, () =>
      withTurn(async (holder, other, { stream }) => {
        stream.write(bytes)
        assert.equal((await takeTurn(other, turnAsk("other"))).outcome, "late")
        assert.equal((await takeTurn(other, patient)).outcome, "taken")
        assert.match((await holder.ended).message, /terminating connection/)
      }))
  }

  it("takes no turn from one that PostgreSQL is at work for", () =>
    withTurn(async (holder, other) => {
      const working = holder.run({ text: "SELECT pg_sleep(1.5)", values: [] })
      assert.equal((await takeTurn(other, turnAsk("other"))).outcome, "late")
      await working
      assert.equal(await isTurnWanted(holder), false)
    }))

  it("waits for whoever says what a session left, though that commit takes longer than the turn may", () =>
    withTurn(async (holder, other, { database }) => {
      const { server } = primary()
      holder.end()
      server.sql("UPDATE countersign.head SET holder = 'lost'", database)
      const committing = server.ask(
        "BEGIN; SELECT FROM countersign.head FOR UPDATE; SELECT pg_sleep(2); COMMIT",
        database,
      )
      const sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
      await until(() => (server.sql(sleeping) === "1" ? true : undefined), "it commits")
      assert.equal((await takeTurn(other, turnAsk("other"))).outcome, "taken")
      await committing
    }))

  describe("where the role, the database or the server has other settings", () => {
    const admin = (text: string) => primary().server.sql(text, "postgres")
    const others = {
      idle_session_timeout: "300ms",
      idle_in_transaction_session_timeout: "1ms",
      statement_timeout: "200ms",
      lock_timeout: "1ms",
      client_encoding: "LATIN1",
      default_transaction_isolation: "serializable",
      default_transaction_read_only: "on",
      standard_conforming_strings: "off",
      synchronous_commit: "off",
      search_path: "public",
    }
    const names = Object.keys(others)
    before(() => {
      for (const [name, value] of Object.entries(others)) {
        admin(`ALTER ROLE ${hostRole} SET ${name} = '${value}'`)
        admin(`ALTER DATABASE countersign SET ${name} = '${value}'`)
      }
    })
    after(() => {
      admin(`ALTER ROLE ${hostRole} RESET ALL`)
      admin("ALTER DATABASE countersign RESET ALL")
    })

    it("takes none of them", async () => {
      const session = await openSession(await dial(), usual)
      const text = `SELECT name, current_setting(name) FROM unnest($1::text[]) AS name`
      const [rows = []] = await session.run({ text, values: [`{${names.join(",")}}`] })
      assert.deepEqual(Object.fromEntries(rows), {
        idle_session_timeout: "0",
        idle_in_transaction_session_timeout: "0",
        statement_timeout: "0",
        lock_timeout: "0",
        client_encoding: "UTF8",
        default_transaction_isolation: "read committed",
        default_transaction_read_only: "off",
        standard_conforming_strings: "on",
        synchronous_commit: "on",
        search_path: "countersign",
      })
      session.end()
    })

    it("stays while nothing is asked of it, waits for a slow statement, and takes every letter", async () => {
      const session = await openSession(await dial(), usual)
      await pause(600)
      await session.run({ text: "SELECT pg_sleep(0.4)", values: [] })
      const word = "Ł漢😀"
      const insert = { text: "INSERT INTO public.notes VALUES ($1)", values: [word] }
      await session.run(insert)
      const [rows] = await session.run({ text: "SELECT text FROM public.notes", values: [] })
      assert.deepEqual(rows, [[word]])
      session.end()
    })
  })

  it("is refused to another role than the certificate's", async () => {
    await assert.rejects(
      openSession(await dial("stranger"), usual),
      /PostgreSQL says: .*certificate authentication failed/,
    )
  })

  it("says what to set where a password is asked for", async () => {
    primary().server.sql("CREATE ROLE typed LOGIN PASSWORD 'x'")
    // Its own line in pg_hba.conf comes first.
    primary().server.sql(
      `COPY (SELECT 'hostssl countersign typed 127.0.0.1/32 scram-sha-256') TO PROGRAM 'cat - pg_hba.conf > more && mv more pg_hba.conf'; SELECT pg_reload_conf()`,
    )
    await assert.rejects(
      openSession(await dial(), { ...usual, role: "typed" }),
      /asks for a password, where pg_hba.conf should take the relay's certificate/,
    )
  })
})
