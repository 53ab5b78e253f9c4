// The drills of docs/operations/fleet.md, each as the page has it, on three real daemons and two real servers.

import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { cpSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { limitOrder, unlessLate } from "../support/bot.ts"
import { clockOf, launcherWith, needsFaketime } from "../support/faketime.ts"
import {
  fleetPage,
  growToThree,
  makeFleet,
  type Config,
  type FleetHost,
  type FleetSite,
} from "../support/fleet-site.ts"
import { readRepositoryFile, sectionOf, tableRows } from "../support/markdown.ts"
import { needsPostgres, startStandby, type PostgresServer } from "../support/postgres-server.ts"
import { childRunning, until } from "../support/process-tree.ts"
import { tradingPolicy } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"
const rows = tableRows(sectionOf(readRepositoryFile(fleetPage), "Drills"))

/** The second that others wait for a host that doesn't answer, three times. */
const longestSilenceMs = 3 * 1_000
/** For how long a bot may be silent. */
const withinMs = 1_000

type Freeze = { readonly scope: string; readonly name: string | null; readonly by: string }

const needed = { timeout: 900_000, ...needsPostgres, ...needsFaketime }

describe("the drills of several hosts", needed, () => {
  let site: FleetSite
  let hosts: readonly FleetHost[]
  let a: FleetHost
  let b: FleetHost
  let c: FleetHost
  let lastNonce = 0
  const done: string[] = []
  /** Of db2, once that is the primary. */
  let standbyAnew: PostgresServer

  before(async () => {
    site = await makeFleet({ "trading.yaml": tradingPolicy })
    ;({ a, b, c } = site.hosts)
    hosts = [a, b, c]
    await a.start()
    await growToThree(site)
  })
  after(() => site.remove())

  /** `signed`, whose nonce must be above all before it; else the code of the refusal, or that nobody answered. */
  async function outcome(host: FleetHost): Promise<string> {
    const asked = unlessLate(() => host.bot().post(path, limitOrder()))
    const answer = await asked.catch(() => undefined)
    if (answer?.status !== 200) return answer?.json.code ?? "no answer"
    const nonce = answer.json["nonce"] as number
    assert.ok(nonce > lastNonce, `${nonce} after ${lastNonce}`)
    lastNonce = nonce
    return "signed"
  }

  async function assertSign(...these: FleetHost[]): Promise<void> {
    for (const host of these) assert.equal(await outcome(host), "signed", host.name)
  }

  async function timeOf(work: () => Promise<void>): Promise<number> {
    const fromMs = performance.now()
    await work()
    return performance.now() - fromMs
  }

  /** That the others go on after `b` is lost, but for what they take on this machine anyway. */
  async function assertSoon(lose: () => void): Promise<void> {
    const usualMs = await timeOf(() => assertSign(a, c))
    lose()
    assert.ok((await timeOf(() => assertSign(a, c))) - usualMs < longestSilenceMs)
  }

  async function assertSilent(...these: FleetHost[]): Promise<void> {
    for (const each of await Promise.all(these.map(outcome))) {
      assert.match(each, /^(?:ledger|vault)_unavailable$/)
    }
  }

  async function untilSign(...these: FleetHost[]): Promise<void> {
    for (const host of these) {
      const signs = async () => ((await outcome(host)) === "signed" ? true : undefined)
      await until(signs, `${host.name} signs`)
    }
  }

  /** The sentence that a start on this host ends with. */
  async function refusal(host: FleetHost): Promise<string> {
    const error = await host.start().catch((each: unknown) => each as Error)
    assert.ok(error instanceof Error, `${host.name} started`)
    return error.message
  }

  /** A drill of the page, by what fails there; `does` gets the cell that says what to do. */
  function drill(what: string, does: (todo: string) => Promise<void>): void {
    it(what, async () => {
      const [, todo] = rows.find(([first]) => first === what) ?? []
      assert.ok(todo !== undefined, `the page has a drill: ${what}`)
      done.push(what)
      await does(todo.replaceAll("\\|", "|"))
    })
  }

  drill("a host dies", async () => {
    await assertSign(b)
    await assertSoon(() => b.signal("SIGKILL"))
    await b.start()
    await assertSign(b)
  })

  drill("a host is stopped where it is", async () => {
    await assertSign(b)
    await assertSoon(() => b.signal("SIGSTOP"))
    b.signal("SIGCONT")
    await untilSign(b)
  })

  drill("a relay dies", async () => {
    const relay = await childRunning(b.daemon().pid, "relay/main")
    process.kill(relay.pid, "SIGKILL")
    await assertSign(a, c)
    await untilSign(b)
    const other = await childRunning(b.daemon().pid, "relay/main")
    assert.notEqual(other.pid, relay.pid)
  })

  drill("the standby dies", async () => {
    const { db2 } = site.servers
    await db2.kill()
    await assertSilent(a, b, c)
    await db2.start()
    await untilSign(a, b, c)
  })

  drill("a clock is off", async () => {
    const file = join(c.dir, "clock")
    writeFileSync(file, "+0s\n")
    await c.stop()
    await c.start({ program: launcherWith(clockOf(file), c.dir) })
    await assertSign(a, b, c)
    writeFileSync(file, "+5s\n")
    const isSilent = async () => ((await outcome(c)) === "signed" ? undefined : true)
    await until(isSilent, "c signs nothing")
    await assertSign(a, b)
    const isTold = () => /clock and PostgreSQL's are \d{4} ms apart/.test(c.daemon().stderr())
    await until(() => isTold() || undefined, "c says how far its clock is off")
    await assertSilent(c)
    writeFileSync(file, "+0s\n")
    await untilSign(c)
    await c.stop()
    await c.start()
  })

  drill("a bot is gone", async () => {
    const { token } = await watchSilence()
    const untilMs = performance.now() + patienceMs(b)
    while (performance.now() < untilMs) {
      const { json } = await c.bot(token).post("/heartbeat", {})
      assert.equal(json.data["frozen"], false)
      await pause(withinMs / 3)
    }
    assert.deepEqual(await frozenOn(a), [])
    a.signal("SIGKILL")
    const isFrozen = async () => ((await frozenOn(c)).length > 0 ? true : undefined)
    await until(isFrozen, "c follows that the bot is frozen")
    assert.deepEqual(await frozenOn(b), [`client watched heartbeats/watched`])
    await a.start()
    await assertSign(a, b, c)
  })

  drill("a host's name is used twice", async () => {
    const config = c.config.read()
    await c.stop()
    c.config.write({ ...config, ledger: { ...config.ledger, host: "a" } })
    assert.match(await refusal(c), /ledger\.fleet\.hosts has another key of this host, a/)
    cpSync(join(c.dir, "ledger.key"), join(c.dir, "own.key"))
    cpSync(join(a.dir, "ledger.key"), join(c.dir, "ledger.key"))
    await c.start()
    await untilSign(c)
    await assertSilent(a)
    await c.stop()
    cpSync(join(c.dir, "own.key"), join(c.dir, "ledger.key"))
    rmSync(join(c.dir, "own.key"))
    c.config.write(config)
    await c.start()
    await untilSign(a, b, c)
  })

  drill("an entry is changed in PostgreSQL", async (todo) => {
    const { db1 } = site.servers
    const [change = ""] = /UPDATE [^`]+/.exec(todo) ?? []
    const follows = rows.find(([first]) => first === "an entry is changed in PostgreSQL")?.[2]
    const [undo = ""] = /UPDATE [^`]+/.exec(follows ?? "") ?? []
    await c.stop()
    await assertSign(a)
    await pause(2_000)
    db1.sql(change)
    assert.match(await refusal(c), /The ledger in PostgreSQL isn't whole: an entry .* was changed/)
    await assertSign(a, b)
    db1.sql(undo)
    await c.start()
    await assertSign(c)
  })

  drill("the primary dies", async (todo) => {
    const { db1, db2 } = site.servers
    const [promote = ""] = /SELECT pg_promote\(\)/.exec(todo) ?? []
    await db1.kill()
    db2.sql(promote)
    await assertSilent(a, b, c)
  })

  drill("the old primary comes back", async () => {
    const { db1, db2 } = site.servers
    await db1.start()
    await pause(1_000)
    await assertSilent(a, b, c)
    await db1.kill()
    const anew = await startStandby(site.place, db2, { name: "db1", directory: "db1-anew" })
    await untilSign(a, b, c)
    await assertSameHead(db2)
    standbyAnew = anew
  })

  drill("an earlier PostgreSQL is restored", async () => {
    const { db2 } = site.servers
    await db2.stop()
    keep(db2, "earlier")
    await db2.start()
    await untilSign(a, b, c)
    await Promise.all(hosts.map((host) => host.stop()))
    await standbyAnew.stop()
    await db2.stop()
    keep(db2, "later")
    await putInPlace("earlier", db2)
    const restored = await startStandby(site.place, db2, { name: "db1", directory: "restored" })
    const most = await putBackFromHostWithMost(db2)
    await Promise.all(hosts.map((host) => host.start()))
    await assertSign(a, b, c)
    await assertSameHead(db2)
    await Promise.all(hosts.map((host) => host.stop()))
    await restored.stop()
    await db2.stop()
    await putInPlace("later", db2)
    await standbyAnew.start()
    for (const said of await Promise.all(hosts.map(refusal))) {
      assert.equal(endsOf(said).there, most)
    }
    await standbyAnew.stop()
  })

  /** Adds a client whose silence counts on all hosts. */
  async function watchSilence(): Promise<{ readonly token: string }> {
    const right = ["--right", "heartbeat", "--json"]
    const added = await a.run("clients", "add", "watched", "--keys", "mm", ...right)
    assert.equal(added.code, 0, added.stderr)
    for (const host of hosts) {
      const heartbeats = { watched: { within: `${withinMs / 1_000}s` } }
      host.config.write({ ...host.config.read(), heartbeats } as Config)
      const reloaded = await host.run("policy", "reload")
      assert.equal(reloaded.code, 0, reloaded.stderr)
    }
    return JSON.parse(added.stdout) as { token: string }
  }

  /** After how long a silence a host acts, if it is there: the first 3 s later than one alone, the next 3 s after it. */
  function patienceMs(host: FleetHost): number {
    return withinMs + 3_000 * (1 + hosts.indexOf(host))
  }

  async function frozenOn(host: FleetHost): Promise<readonly string[]> {
    const { code, stdout, stderr } = await host.run("status", "--json")
    assert.ok(code === 0 || code === 1, stderr)
    const { freezes } = JSON.parse(stdout) as { freezes: readonly Freeze[] }
    return freezes.map(({ scope, name, by }) => `${scope} ${name} ${by}`)
  }

  it("are all of the page's", () => {
    assert.deepEqual(new Set(done), new Set(rows.map(([what]) => what)))
  })

  function keep({ data }: PostgresServer, name: string): void {
    execFileSync("cp", ["-a", data, join(site.place.directory, name)])
  }

  async function putInPlace(name: string, server: PostgresServer): Promise<void> {
    rmSync(server.data, { recursive: true })
    execFileSync("cp", ["-a", join(site.place.directory, name), server.data])
    await server.start()
  }

  /** Returns the last entry that is there then. */
  async function putBackFromHostWithMost(server: PostgresServer): Promise<number> {
    let most = { there: 0, here: 0, host: a }
    for (const [index, said] of (await Promise.all(hosts.map(refusal))).entries()) {
      const ends = endsOf(said)
      if (ends.here > most.here) most = { ...ends, host: hosts[index] ?? a }
    }
    const { stdout } = await most.host.run("ledger", "put-back", "--after", String(most.there))
    server.sql(stdout)
    return most.here
  }

  /** The last entries of PostgreSQL and of the host that a start names. */
  function endsOf(message: string): { readonly there: number; readonly here: number } {
    const ends = /PostgreSQL ends at entry (\d+), and this host at (\d+):/.exec(message)
    assert.ok(ends, message)
    return { there: Number(ends[1]), here: Number(ends[2]) }
  }

  async function assertSameHead(server: PostgresServer): Promise<void> {
    const head = () => server.sql("SELECT seq, encode(hash, 'hex') FROM countersign.head")
    for (const host of hosts) {
      const isThere = async () => {
        const { stdout } = await host.run("audit", "verify")
        const [, seq, hash] = /^Head: entry (\d+), (\w+)$/m.exec(stdout) ?? []
        return `${seq}|${hash}` === head() ? true : undefined
      }
      await until(isThere, `${host.name} has all that PostgreSQL has`)
    }
  }
})
