// Three daemons on one ledger, made of one and brought back to one as docs/operations/fleet.md says.

import assert from "node:assert/strict"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { parse } from "yaml"

import type { Finding } from "../../src/commands/doctor/finding.ts"
import type { FleetStatus } from "../../src/commands/status/fleet-status.ts"
import { limitOrder, unlessLate, type Answer } from "../support/bot.ts"
import {
  aloneConfig,
  blocksOf,
  exampleConfig,
  fleetPage,
  growToThree,
  makeFleet,
  type FleetHost,
  type FleetSite,
} from "../support/fleet-site.ts"
import { hostRole, needsPostgres } from "../support/postgres-server.ts"
import { until } from "../support/process-tree.ts"
import { addClient, tradingPolicy } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"

/** Of the usual orders `capped` may have ten, on whichever hosts; the others as many as they like. */
const policies = {
  "trading.yaml": tradingPolicy.replace("\n", "\napplies_to: { clients: [bot, late, newest] }\n"),
  "capped.yaml": `policy: capped
applies_to: { clients: [capped] }
rules:
  - { name: quote, endpoints: [placeOrder], symbols: [BTC-PERP], max_quantity: "0.5" }
limits:
  - { name: together, sum: submitted_notional, window: 1h, max: "63000" }
`,
}

/** Within a second others sign on after a host was killed; a busy machine may take three. */
const longestSilenceMs = 3 * 1_000

describe("three hosts on one ledger", { timeout: 300_000, ...needsPostgres }, () => {
  let site: FleetSite
  let hosts: readonly FleetHost[]
  let a: FleetHost
  let b: FleetHost
  let c: FleetHost

  before(async () => {
    site = await makeFleet(policies)
    ;({ a, b, c } = site.hosts)
    hosts = [a, b, c]
    withoutVenue(a)
    await a.start()
  })
  after(() => site.remove())

  /** Doctor fails where a venue is named that nobody answers at. */
  function withoutVenue({ dir }: FleetHost): void {
    const file = join(dir, "venue.yaml")
    writeFileSync(file, readFileSync(file, "utf8").replace(/^base_url:.*$/m, ""))
  }

  const order = (host: FleetHost, token?: string, headers = {}): Promise<Answer> =>
    unlessLate(() => host.bot(token).post(path, limitOrder(), headers))

  /** The last of their nonces when each has signed once more. */
  async function lastNonceOf(...hosts: FleetHost[]) {
    const fromMs = performance.now()
    const nonces = await Promise.all(hosts.map(nonceOf))
    return { nonce: Math.max(...nonces), tookMs: performance.now() - fromMs }
  }

  async function nonceOf(host: FleetHost): Promise<number> {
    const { status, json } = await order(host)
    assert.equal(status, 200, JSON.stringify(json))
    return json["nonce"] as number
  }

  /** What an order on a host is answered with. */
  async function codeOf(host: FleetHost, token?: string): Promise<string> {
    const { status, json } = await order(host, token)
    return status === 200 ? "signed" : json.code
  }

  it("are made of one that runs, by the page", async () => {
    const first = await nonceOf(a)
    await growToThree(site)
    for (const host of hosts) assert.match(await host.plays("Look at each"), /The ledger is whole/)
    assert.ok((await nonceOf(b)) > first)
  })

  it("are set as examples/fleet and the page have it", () => {
    const [shown = ""] = blocksOf(fleetPage, "yaml")
    const { ledger } = exampleConfig(a)
    assert.deepEqual((parse(shown) as object)["ledger" as never], ledger)
    for (const host of hosts) {
      assert.deepEqual(exampleConfig(host).ledger, { ...ledger, host: host.name })
    }
  })

  /** What doctor finds of PostgreSQL and of the hosts on it, but for what a busy machine makes long, and whether it fails by any. */
  async function lookedAt(host: FleetHost) {
    const { code, stdout } = await host.run("doctor", "--json")
    const { findings } = JSON.parse(stdout) as { findings: readonly Finding[] }
    const timed = findings.filter(({ message }) => /^A round trip takes|^Its clock/.test(message))
    const others = findings.filter((each) => !timed.includes(each))
    assert.equal(code, findings.some(({ state }) => state === "fail") ? 1 : 0)
    const isFailed = others.some(({ state }) => state === "fail")
    const of = (check: Finding["check"]) => others.filter((each) => each.check === check)
    return { isFailed, postgres: of("postgres"), fleet: of("fleet") }
  }

  it("say by doctor how PostgreSQL stands and who is there", async () => {
    for (const host of hosts) {
      const { postgres, fleet } = await lookedAt(host)
      const wrong = postgres.filter(({ state }) => state !== "ok")
      assert.deepEqual(
        wrong.map(({ message }) => message),
        ["It has no data checksums: what its disk changes by itself isn't noticed there."],
      )
      const said = postgres.map(({ message }) => message).join("\n")
      assert.match(said, /^It is PostgreSQL 1\d.*, system \d{15,}, timeline 1\.$/m)
      assert.match(said, /^Of "FIRST 1 \(db2\)" connected: "db2"\.$/m)
      assert.match(said, /^The role may do what it needs, and no more\.$/m)
      const [here, ...others] = fleet
      assert.match(here?.message ?? "", new RegExp(`^This is host ${host.name} of a, b, c\\.`))
      for (const { state, message } of others) assert.equal(state, "ok", message)
      assert.equal(others.length, 2)
    }
  })

  it("fail doctor where an old primary could keep a standby", async () => {
    const { db1 } = site.servers
    const set = async (setting: string): Promise<void> => {
      db1.sql(`ALTER SYSTEM ${setting}`)
      db1.sql("SELECT pg_reload_conf()")
      await pause(500) // until all sessions have heard of it
    }
    assert.ok(!(await lookedAt(a)).isFailed)
    try {
      for (const names of ["ANY 1 (db2, db3)", "FIRST 1 (db2, db3)", "ANY 1 (*)"]) {
        await set(`SET synchronous_standby_names = '${names}'`)
        const { isFailed, postgres } = await lookedAt(a)
        assert.ok(isFailed, names)
        const failed = postgres.filter(({ state }) => state === "fail")
        assert.equal(failed.length, 1, names)
        assert.match(failed[0]?.message ?? "", /the hosts split in two/)
      }
    } finally {
      await set("RESET synchronous_standby_names")
    }
    assert.ok(!(await lookedAt(a)).isFailed)
  })

  it("fail doctor where the role may change what is recorded, or more", async () => {
    const { db1 } = site.servers
    const rights: readonly (readonly [string, string, RegExp])[] = [
      [
        "GRANT UPDATE ON countersign.batches TO X",
        "REVOKE UPDATE ON countersign.batches FROM X",
        /change or remove/,
      ],
      ["ALTER ROLE X SUPERUSER", "ALTER ROLE X NOSUPERUSER", /superuser/],
      ["ALTER ROLE X CREATEROLE", "ALTER ROLE X NOCREATEROLE", /may make roles/],
      [
        "GRANT pg_write_server_files TO X",
        "REVOKE pg_write_server_files FROM X",
        /pg_write_server_files/,
      ],
      ["GRANT admin TO X", "REVOKE admin FROM X", /owns the ledger's tables/],
    ]
    for (const [give, take, says] of rights) {
      db1.sql(give.replace("X", hostRole))
      const { isFailed, postgres } = await lookedAt(a)
      db1.sql(take.replace("X", hostRole))
      assert.ok(isFailed, give)
      assert.match(postgres.find(({ state }) => state === "fail")?.message ?? "", says)
    }
    db1.sql(`GRANT pg_monitor TO ${hostRole}`)
    const { isFailed, postgres } = await lookedAt(a)
    assert.ok(!isFailed)
    assert.match(
      postgres.map(({ message }) => message).join(),
      /"FIRST 1 \(db2\)" in sync: "db2"\./,
    )
    db1.sql(`REVOKE pg_monitor FROM ${hostRole}`)
  })

  it("sign each, with nonces of a signer that rise over all of them", async () => {
    const nonces: number[] = []
    for (const host of [a, b, c, c, b, a]) nonces.push(await nonceOf(host))
    assert.deepEqual(nonces, [...new Set(nonces)].sort())
  })

  it("use up a limit exactly, all together", async () => {
    const token = await addClient(a.dir, "capped")
    for (const host of hosts) await untilCode(host, (code) => code !== "unauthorized", token)
    const asked = hosts.flatMap((host) => Array.from({ length: 8 }, () => codeOf(host, token)))
    const codes = await Promise.all(asked)
    for (const host of hosts) codes.push(await codeOf(host, token))
    assert.deepEqual(new Set(codes), new Set(["signed", "limit_exhausted"]))
    const { stdout } = await c.run("audit", "tail", "--client", "capped", "-n", "99")
    assert.equal(stdout.match(/ request /g)?.length, 10, stdout)
  })

  it("answer an idempotency key that another host has used with the same bytes", async () => {
    const headers = { "Idempotency-Key": "one-order" }
    const [first, again, elsewhere] = [
      await order(a, undefined, headers),
      await order(b, undefined, headers),
      await order(c, undefined, headers),
    ]
    assert.equal(first.status, 200)
    assert.equal(again.text, first.text)
    assert.equal(elsewhere.text, first.text)
    const other = await b.bot().post(path, limitOrder({ quantity: "0.2" }), headers)
    assert.equal(other.json.code, "idempotency_conflict")
  })

  it("take a client's token wherever it was added, and refuse it once it is revoked anywhere", async () => {
    const token = await addClient(a.dir, "late")
    await untilCode(b, (code) => code === "signed", token)
    assert.equal(await codeOf(a, token), "signed")
    assert.equal((await b.run("clients", "revoke", "late", "--yes")).code, 0)
    for (const host of [a, c, b]) assert.equal(await codeOf(host, token), "unauthorized")
  })

  it("sign nothing more once a freeze on any of them is answered, until it is thawed on another", async () => {
    const stop = new AbortController()
    const load = [a, b].map(async (host) => {
      while (!stop.signal.aborted) await codeOf(host)
    })
    const { code, stderr } = await c.run("freeze", "--reason", "look")
    assert.equal(code, 0, stderr)
    assert.deepEqual(await Promise.all([a, b].map((host) => codeOf(host))), ["frozen", "frozen"])
    stop.abort()
    await Promise.all(load)
    assert.equal((await a.run("thaw", "--all")).code, 0)
    for (const host of hosts) await untilCode(host, (each) => each === "signed")
  })

  it("have policies of their own, reloaded host by host, which no crash puts in force", async () => {
    const file = join(a.dir, "policies", "trading.yaml")
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text.replace('"0.5"', '"0.05"'))
    a.signal("SIGKILL")
    await a.start()
    assert.equal(await codeOf(a), "signed")
    const differ = /^The files on disk aren't in force: policies\/trading\.yaml/m
    assert.match((await a.run("status")).stdout, differ)
    assert.doesNotMatch((await b.run("status")).stdout, differ)
    await a.plays("Host by host")
    assert.equal(await codeOf(a), "policy_denied")
    assert.equal(await codeOf(b), "signed")
    writeFileSync(file, text)
    await a.plays("Host by host")
    assert.equal(await codeOf(a), "signed")
  })

  it("count an address's budget together, and each its own IP's", async () => {
    const before = await budgetsOf(b)
    // What was signed a minute ago counts no more, so a slow look may find as much as before.
    const counted = async () => {
      await nonceOf(a)
      const { address, ip } = await budgetsOf(b)
      assert.ok(ip <= before.ip)
      return address > before.address ? true : undefined
    }
    await until(counted, "b counts what a signed")
  })

  it("take the prices that are fed on two of them at once", async () => {
    await a.run("prices", "set", "BTC-PERP", "64000")
    const token = await addClient(a.dir, "feed", ["--keys", "mm", "--right", "prices"])
    const feed = (host: FleetHost, value: string) =>
      host.bot(token).post("/prices", { prices: [{ symbol: "BTC-PERP", value }] })
    const isFollowed = async () => ((await feed(b, "64001")).status === 200 ? true : undefined)
    await until(isFollowed, "b knows who feeds")
    for (let count = 10; count < 30; count += 1) {
      const fed = [a, b].map((host, index) =>
        unlessLate(() => feed(host, `640${count}.${index + 1}`)),
      )
      const answers = await Promise.all(fed)
      for (const { status, json } of answers) assert.equal(status, 200, JSON.stringify(json))
    }
  })

  it("sign with a new key once they have its file; without it the key counts as locked", async () => {
    await a.plays("A new key")
    const token = await addClient(a.dir, "newest", ["--keys", "mm2"])
    assert.equal(await codeOf(a, token), "signed")
    await untilCode(b, (code) => code === "locked", token)
    assert.match((await b.run("unlock")).stdout, /: 2 keys are in memory\.\nThe key mm2 is locked/)
    await b.stop()
    await b.start()
    assert.equal(await codeOf(b, token), "locked")
    await nonceOf(b)
    await b.plays("The key on each other host")
    assert.equal(await codeOf(b, token), "signed")
    await c.plays("The key on each other host")
    assert.equal(await codeOf(c, token), "signed")
  })

  it("sign nothing where a new key's file holds another key, until it is gone", async () => {
    const made = ["--name", "mm3", "--role", "agent", "--wallet", "main"]
    assert.equal((await a.run("keys", "generate", ...made)).code, 0)
    const isFollowed = async () =>
      (await b.run("keys", "show", "mm3")).code === 0 ? true : undefined
    await until(isFollowed, "b knows of mm3")
    const file = join(b.dir, "keystore", "mm3.json")
    cpSync(join(b.dir, "keystore", "mm2.json"), file)
    const { code, stderr } = await b.run("unlock")
    assert.notEqual(code, 0)
    assert.match(stderr, /The key store holds another key under the name mm3/)
    await nonceOf(b)
    rmSync(file)
    assert.equal((await b.run("unlock")).code, 0)
    await nonceOf(b)
    assert.equal((await a.run("keys", "remove", "mm3", "--yes")).code, 0)
  })

  it("sign on while each of them is restarted, one after the other", async () => {
    for (const host of hosts) {
      const others = hosts.filter((each) => each !== host)
      const restarted = host.stop().then(() => host.start())
      const isOver = restarted.then(() => true)
      while (!(await Promise.race([isOver, pause(100)])))
        for (const other of others) await nonceOf(other)
      await nonceOf(host)
    }
  })

  it("say by status and doctor which of the others is there", async () => {
    const statusOf = async () => {
      const { stdout } = await a.run("status", "--json")
      return (JSON.parse(stdout) as { fleet: FleetStatus | null }).fleet
    }
    const lineOf = async () =>
      /^fleet +(.*)$/m.exec((await a.run("status")).stdout)?.[1]?.replace(/\d+/, "N")
    const others = (isThere: boolean) => [
      { name: "b", connected: isThere },
      { name: "c", connected: true },
    ]
    const isThere = async () => ((await statusOf())?.others[0]?.connected ? true : undefined)
    await until(isThere, "b is connected")
    assert.deepEqual((await statusOf())?.others, others(true))
    assert.equal(await lineOf(), "host a, with entry N; b, c connected")
    await b.stop()
    const isAway = async () => ((await statusOf())?.others[0]?.connected ? undefined : true)
    await until(isAway, "b isn't connected")
    assert.deepEqual((await statusOf())?.others, others(false))
    assert.equal(await lineOf(), "host a, with entry N; c connected; b not connected")
    const { isFailed, fleet } = await lookedAt(a)
    assert.ok(!isFailed)
    const warned = fleet.filter(({ state }) => state === "warn").map(({ message }) => message)
    assert.equal(warned.length, 1)
    assert.match(warned[0] ?? "", /^Host b isn't connected with PostgreSQL/)
    const stopped = await lookedAt(b)
    assert.match(
      stopped.postgres[0]?.message ?? "",
      /^Only a running daemon can ask it.* host b of a, b, c/,
    )
    await b.start()
  })

  it("sign on when one of them is killed, which comes back with all that it missed", async () => {
    await nonceOf(b)
    const usual = await lastNonceOf(a, c)
    b.signal("SIGKILL")
    const last = await lastNonceOf(a, c)
    assert.ok(last.tookMs - usual.tookMs < longestSilenceMs)
    await b.start()
    assert.ok((await nonceOf(b)) > last.nonce)
  })

  it("have the same ledger, whole", async () => {
    const heads = new Map<string, string>()
    const isSame = async () => {
      for (const host of hosts) heads.set(host.name, await headOf(host))
      return new Set(heads.values()).size === 1 ? true : undefined
    }
    await until(isSame, "all hosts have the same head")
    assert.match(await a.plays("Back to one host"), /^Head: entry /m)
    assert.equal(heads.get("a"), headThere())
  })

  it("are one host again once that has followed the others, and not before", async () => {
    await a.stop()
    const nonce = await nonceOf(b)
    await b.stop()
    await c.stop()
    const three = a.config.read()
    a.config.write(aloneConfig(a))
    await assert.rejects(a.start(), /host "[bc]" isn't known here/)
    a.config.write(three)
    await a.start()
    const isWhole = async () => ((await headOf(a)) === headThere() ? true : undefined)
    await until(isWhole, "a has all that the others appended")
    await a.stop()
    a.config.write(aloneConfig(a))
    await a.start()
    assert.ok((await nonceOf(a)) > nonce)
  })

  it("leave that one host no start where another comes back", async () => {
    await b.start()
    await nonceOf(b)
    assert.notEqual(await a.daemon().ended, 0)
    assert.match(a.daemon().stderr(), /host "b" isn't known here/)
  })

  it("leave nothing of the page unplayed but what stands in files", () => {
    assert.deepEqual(site.page.unplayed(), [
      ...["Who may promote", "The same list on all"],
      "Cancels while PostgreSQL is away", // fleet-isolated.test.ts has its block
      "Leave out what a host wrote", // postgres-believed.test.ts does it
    ])
  })

  async function headOf(host: FleetHost): Promise<string> {
    const { code, stdout, stderr } = await host.run("audit", "verify")
    assert.equal(code, 0, stderr)
    const [, seq, hash] = /^Head: entry (\d+), (\w+)$/m.exec(stdout) ?? []
    return `${seq}|${hash}`
  }

  /** What `bot` may see of them. */
  async function budgetsOf(host: FleetHost) {
    const { json } = await host.bot().get("/limits")
    const { budgets } = json.data as { budgets: readonly { scope: string; used: number }[] }
    const used = (scope: string) =>
      budgets.reduce((sum, each) => sum + (each.scope === scope ? each.used : 0), 0)
    return { address: used("address"), ip: used("ip") }
  }

  const headThere = (): string =>
    site.servers.db1.sql("SELECT seq, encode(hash, 'hex') FROM countersign.head")

  async function untilCode(
    host: FleetHost,
    isMeant: (code: string) => boolean,
    token?: string,
  ): Promise<void> {
    let code = ""
    const isThere = async () => {
      code = await codeOf(host, token)
      return isMeant(code) ? true : undefined
    }
    await until(isThere, `${host.name} answers otherwise than ${code}`)
  }
})
