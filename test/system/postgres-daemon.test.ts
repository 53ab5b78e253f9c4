// A daemon on PostgreSQL as docs/operations/postgres.md has it: moved there, killed, cut off from its servers, and back.

import assert from "node:assert/strict"
import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { StatusView } from "../../src/contract/views.ts"
import { readLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  countersign,
  makeInstallation,
  serve,
  statusJson,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import {
  hostRole,
  needsPostgres,
  postgresPlace,
  startPrimary,
  startStandby,
  type PostgresPlace,
  type PostgresServer,
} from "../support/postgres-server.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { commandLines, pageBlocks } from "../support/page-blocks.ts"
import { childRunning, killAllNaming, until } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"

const blocks = pageBlocks(readRepositoryFile("docs/operations/postgres.md"))
const textsIn = (language: string): readonly string[] =>
  blocks.filter((block) => block.language === language).map(({ text }) => text)
const [standbySetting = "", hbaLine = ""] = textsIn("")
const [ledgerSetting = "", relayFile = ""] = textsIn("yaml")
const [moving = "", puttingBack = ""] = textsIn("sh")

describe("a daemon whose ledger is on PostgreSQL", { timeout: 240_000, ...needsPostgres }, () => {
  let place: PostgresPlace
  let server: PostgresServer
  let standby: PostgresServer
  let installation: TemporaryInstallation
  let embedded: string
  let token: string
  let lastNonce: number

  before(async () => {
    place = postgresPlace()
    server = await startPrimary(place)
    standby = await startStandby(place, server, { name: "standby1" })
    configure(server)
    installation = await makeInstallation()
    const { dir } = installation
    await writePolicy(dir, tradingPolicy)
    const daemon = await serve(dir)
    await makeTradingKeys(dir)
    token = await addClient(dir, "bot")
    lastNonce = nonceOf(await bot(daemon.url, token).post(path, limitOrder()))
    assert.equal(await daemon.stop(), 0)
    embedded = settings()
    writeRelay(dir)
  })
  after(async () => {
    await killAllNaming(installation.dir)
    await installation.remove()
    await server.stop()
    await standby.stop()
    place.remove()
  })

  const run = (...args: readonly string[]) => countersign([...args, "--dir", installation.dir])
  const configFile = (): string => join(installation.dir, "countersign.yaml")
  const settings = (): string => readFileSync(configFile(), "utf8")
  const onPostgres = (): string => embedded.replace("ledger: {min_free: 0}\n", ledgerSetting)

  /** Runs a line of the page that writes SQL into a file `name`, and reads what is there then. */
  async function sqlOf(line: string, name: string): Promise<string> {
    assert.ok(line.endsWith(` --out ${name}`), line)
    const file = join(place.directory, name)
    const words = line.slice(0, -name.length).trim().split(" ").slice(1)
    const { code, stderr } = await run(...words, file)
    assert.equal(code, 0, stderr)
    return readFileSync(file, "utf8")
  }

  function configure(primary: PostgresServer): void {
    const { data } = primary
    appendFileSync(join(data, "postgresql.conf"), standbySetting)
    writeFileSync(
      join(data, "pg_hba.conf"),
      `local all admin trust\nlocal replication admin trust\n${hbaLine}`,
    )
    primary.sql("SELECT pg_reload_conf()")
  }

  function writeRelay(dir: string): void {
    const { ca, clients } = place.certificates
    const { certificate, key } = clients[hostRole]
    cpSync(ca, join(dir, "ca.crt"))
    cpSync(certificate, join(dir, "host-a.crt"))
    cpSync(key, join(dir, "host-a.key"))
    const text = relayFile.replace(":5432", `:${server.port}`)
    writeFileSync(join(dir, "relay.yaml"), text, { mode: 0o600 })
  }

  function nonceOf(answer: Answer): number {
    assert.equal(answer.status, 200, JSON.stringify(answer.json))
    return answer.json["nonce"] as number
  }

  /** Signs one order, whose nonce must be above all before it. */
  async function assertSigns(client: Bot): Promise<void> {
    const nonce = nonceOf(await client.post(path, limitOrder()))
    assert.ok(nonce > lastNonce, `${nonce} after ${lastNonce}`)
    lastNonce = nonce
  }

  async function withDaemon(use: (client: Bot, daemon: Served) => Promise<void>): Promise<void> {
    const daemon = await serve(installation.dir)
    try {
      await use(bot(daemon.url, token), daemon)
      assert.equal(await daemon.stop(), 0)
    } finally {
      await daemon.stop("SIGKILL")
    }
  }

  async function untilReady({ url }: Served): Promise<void> {
    const endMs = performance.now() + 60_000
    while ((await fetch(`${url}/readyz`)).status !== 200) {
      if (performance.now() > endMs) throw new Error("it is never ready again")
      await pause(50)
    }
  }

  const recorded = (): number => Number(server.sql("SELECT seq FROM countersign.head"))

  it("moves nothing before countersign.yaml says where to", async () => {
    const { code, stderr } = await run("ledger", "move")
    assert.equal(code, 2)
    assert.match(stderr, /Say in countersign.yaml where the ledger is to be/)
  })

  it("doesn't start before it was moved, and says how", async () => {
    writeFileSync(configFile(), onPostgres())
    server.sql(`CREATE ROLE ${hostRole} LOGIN`)
    const { code, stderr } = await run("serve", "--port", "0")
    assert.notEqual(code, 0)
    assert.match(stderr, /has no ledger yet; move this one there with countersign ledger move/)
  })

  it("is moved by what countersign ledger move prints, all or nothing, once", async () => {
    const [createdb = "", move = "", psql = ""] = commandLines(moving)
    assert.match(createdb, /^createdb --encoding=UTF8 .* countersign$/) // the server of this test has it
    assert.match(psql, /^psql .*--set=ON_ERROR_STOP=1 --file=ledger.sql$/)
    const sql = await sqlOf(move, "ledger.sql")
    server.psql(psql, sql.slice(0, -"COMMIT;\n".length)) // as a full disk may leave it
    assert.equal(server.sql("SELECT to_regclass('countersign.head')"), "")
    server.psql(psql, sql)
    assert.ok(recorded() > 0)
    const before = server.sql("SELECT count(*), sum(last_seq) FROM countersign.batches")
    assert.throws(() => server.psql(psql, sql), /schema "countersign" already exists/)
    assert.equal(server.sql("SELECT count(*), sum(last_seq) FROM countersign.batches"), before)
  })

  it("seals by the key whose public side countersign ledger host-key prints", async () => {
    const { stdout } = await run("ledger", "host-key")
    assert.match(stdout, /^[0-9a-f]{64}\n$/)
    assert.deepEqual(await run("ledger", "host-key"), { code: 0, stdout, stderr: "" })
    const key = await readLedgerKey(join(installation.dir, "ledger.key"))
    assert.equal(key?.publicKey, stdout.trim())
  })

  it("signs with nonces above all before, and has each record in PostgreSQL", () =>
    withDaemon(async (client) => {
      const before = recorded()
      await assertSigns(client)
      await assertSigns(client)
      assert.ok(recorded() >= before + 2)
      const last = server.sql("SELECT rows FROM countersign.batches ORDER BY last_seq DESC LIMIT 1")
      assert.match(last, new RegExp(`"nonce":${lastNonce}`))
    }))

  it("answers the repeat of a key with the same bytes after its vault was killed", () =>
    withDaemon(async (client, daemon) => {
      const headers = { "Idempotency-Key": "one-order" }
      const first = await client.post(path, limitOrder(), headers)
      lastNonce = nonceOf(first)
      const vault = await childRunning(daemon.pid, "vault/main")
      process.kill(vault.pid, "SIGKILL")
      const other = async () => (await childRunning(daemon.pid, "vault/main")).pid
      while ((await other()) === vault.pid) await pause(20)
      await untilReady(daemon)
      const again = await client.post(path, limitOrder(), headers)
      assert.equal(again.text, first.text)
      await assertSigns(client)
    }))

  it("refuses while the server is away, and signs again by itself when it is back", () =>
    withDaemon(async (client, daemon) => {
      await assertSigns(client)
      await server.kill()
      for (;;) {
        const answer = await client.post(path, limitOrder())
        if (answer.status === 503) break
        lastNonce = nonceOf(answer)
      }
      await pause(1_000)
      assert.equal((await client.post(path, limitOrder())).status, 503)
      await server.start()
      await untilReady(daemon)
      await assertSigns(client)
    }))

  it("releases nothing without its standby, and signs again by itself with it", () =>
    withDaemon(async (client, daemon) => {
      await standby.kill()
      assert.equal((await client.post(path, limitOrder())).status, 503)
      await standby.start()
      await untilReady(daemon)
      await assertSigns(client)
    }))

  it("releases nothing where the server waits for no standby any more", () =>
    withDaemon(async (client, daemon) => {
      server.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
      server.sql("SELECT pg_reload_conf()")
      await pause(500)
      assert.equal((await client.post(path, limitOrder())).status, 503)
      assert.match(
        daemon.stderr(),
        /PostgreSQL waits for 0 standbys and ledger.replicas asks for 1/,
      )
      server.sql("ALTER SYSTEM RESET synchronous_standby_names")
      server.sql("SELECT pg_reload_conf()")
      await untilReady(daemon)
      await assertSigns(client)
    }))

  it("releases nothing where an admin ends the wait for the standby", () =>
    withDaemon(async (client, daemon) => {
      standby.pause()
      const answer = client.post(path, limitOrder())
      const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
      const isWaiting = () => (server.sql(waiting) === "" ? undefined : true)
      await until(isWaiting, "the commit waits for the standby")
      server.sql(`SELECT pg_cancel_backend(pid) FROM (${waiting}) AS waiting`)
      assert.equal((await answer).status, 503)
      const isTold = () => daemon.stderr().includes("canceling wait for synchronous replication")
      await until(() => isTold() || undefined, "the log says that the wait was ended")
      standby.goOn()
      await untilReady(daemon)
      await assertSigns(client)
    }))

  it("signs again after its relay was killed", () =>
    withDaemon(async (client, daemon) => {
      const relay = await childRunning(daemon.pid, "relay/main")
      process.kill(relay.pid, "SIGKILL")
      await pause(500)
      await untilReady(daemon)
      await assertSigns(client)
    }))

  it("has a ledger that a check finds whole, and commands that speak to it as before", () =>
    withDaemon(async () => {
      assert.equal((await run("audit", "verify")).code, 0)
      assert.equal((await statusJson<StatusView>(["--dir", installation.dir])).state.signs, "all")
      assert.equal((await run("freeze", "--all", "--reason", "look")).code, 0)
      assert.match(
        server.sql("SELECT rows FROM countersign.batches ORDER BY last_seq DESC LIMIT 1"),
        /"act":"frozen"/,
      )
      assert.equal((await run("thaw", "--everything")).code, 0)
    }))

  it("takes no command that would record something while it is stopped", async () => {
    const { code, stderr } = await run("freeze", "--all", "--reason", "look")
    assert.notEqual(code, 0)
    assert.match(
      stderr,
      /The relay reaches PostgreSQL for the daemon alone; start it, or see its log/,
    )
  })

  it("goes back to this host alone with all that was recorded", async () => {
    writeFileSync(configFile(), embedded)
    await withDaemon(async (client) => {
      await assertSigns(client)
      assert.equal((await run("audit", "verify")).code, 0)
    })
  })

  it("doesn't start on PostgreSQL once this host went on without it", async () => {
    writeFileSync(configFile(), onPostgres())
    const { code, stderr } = await run("serve", "--port", "0")
    assert.notEqual(code, 0)
    const [, lastThere] = /countersign ledger put-back .*--after (\d+)/.exec(stderr) ?? []
    assert.equal(lastThere, server.sql("SELECT seq FROM countersign.head"), stderr)
  })

  it("goes on there once what this host added is put back, all or nothing, once", async () => {
    const [putBack = "", psql = ""] = commandLines(puttingBack)
    const lastThere = server.sql("SELECT seq FROM countersign.head")
    assert.match(psql, /^psql .*--set=ON_ERROR_STOP=1 --file=entries.sql$/)
    const sql = await sqlOf(putBack.replace("1200", lastThere), "entries.sql")
    server.psql(psql, sql.slice(0, -"COMMIT;\n".length))
    assert.equal(server.sql("SELECT seq FROM countersign.head"), lastThere)
    server.psql(psql, sql)
    assert.throws(() => server.psql(psql, sql), /isn't the ledger of host a as it was/)
    await withDaemon(async (client) => {
      await assertSigns(client)
      assert.equal((await run("audit", "verify")).code, 0)
    })
  })

  it("says what --after takes, and where there is nothing to put back", async () => {
    const word = await run("ledger", "put-back", "--after", "last")
    assert.match(word.stderr, /--after takes an entry's number, like 1200/)
    const none = await run("ledger", "put-back", "--after", "999999")
    assert.match(none.stderr, /nothing to put back after entry 999999/)
    assert.deepEqual([word.code, none.code, none.stdout], [2, 2, ""])
  })
})
