// A host that can't reach PostgreSQL signs cancels for a while, where docs/operations/fleet.md has it told to, and all
// hosts have them once it is back.

import assert from "node:assert/strict"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { parse } from "yaml"

import { turnNonces } from "../../src/vault/ledger/records/nonce-share.ts"
import { limitOrder, unlessLate, type Answer } from "../support/bot.ts"
import {
  blocksOf,
  fleetPage,
  growToThree,
  makeFleet,
  type Config,
  type FleetHost,
  type FleetSite,
} from "../support/fleet-site.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { childRunning, until } from "../support/process-tree.ts"
import { tradingPolicy } from "../support/trading-keys.ts"

const ordersPath = "/sign/v1/trade/orders"
const cancelPath = "/sign/v1/trade/orders/cancel"

type Hosts = Readonly<Record<string, { readonly slot: number }>>
type Shown = { isolated_cancels: object; fleet: { hosts: Hosts } }

/** What the page has of it. */
function shownSetting(): Shown {
  const [, shown = ""] = blocksOf(fleetPage, "yaml")
  return (parse(shown) as { ledger: Shown }).ledger
}

/** Longer than all of this takes: a repeat of what has expired is refused. */
const expiresIn = { trade: "10m" }

/** Adds it to what a host has. */
function withCancels({ ledger, ...rest }: Config): Config {
  const { isolated_cancels: cancels, fleet } = shownSetting()
  const { hosts } = ledger["fleet"] as { hosts: Readonly<Record<string, object>> }
  const slotted = Object.entries(hosts).map(([name, host]) => {
    const slot = fleet.hosts[name]?.slot
    return [name, { ...host, slot }] as const
  })
  const own = { isolated_cancels: cancels, fleet: { hosts: Object.fromEntries(slotted) } }
  return { ...rest, expires_in: expiresIn, ledger: { ...ledger, ...own } }
}

/** Another test's may listen at the usual port. */
function leaveNoVenue({ dir }: FleetHost): void {
  const file = join(dir, "venue.yaml")
  const text = readFileSync(file, "utf8")
  writeFileSync(file, text.replace(/^base_url:.*$/m, "base_url: http://127.0.0.1:9"))
}

describe("a host that can't reach PostgreSQL", { timeout: 300_000, ...needsPostgres }, () => {
  let site: FleetSite
  let a: FleetHost
  let c: FleetHost
  let relayConfig: string
  /** Of the cancels that c signed by itself. */
  const isolated: { nonce: number; record: string }[] = []

  before(async () => {
    site = await makeFleet({ "trading.yaml": tradingPolicy })
    ;({ a, c } = site.hosts)
    await a.start()
    await growToThree(site)
    for (const host of Object.values(site.hosts)) {
      await host.stop()
      host.config.write(withCancels(host.config.read()))
      leaveNoVenue(host)
      await host.start()
    }
    const keyed = { "Idempotency-Key": "before" }
    assert.equal((await c.bot().post(ordersPath, limitOrder(), keyed)).status, 200)
    relayConfig = readFileSync(join(c.dir, "relay.yaml"), "utf8")
  })
  after(() => site.remove())

  /** Has c's relay look for the servers where `config` says. */
  async function setRelay(config: string): Promise<void> {
    writeFileSync(join(c.dir, "relay.yaml"), config)
    process.kill((await childRunning(c.daemon().pid, "relay/main")).pid, "SIGKILL")
  }

  /** Where nobody listens. */
  function cutOff(): Promise<void> {
    let port = 0
    return setRelay(relayConfig.replaceAll(/localhost:\d+/g, () => `localhost:${(port += 1)}`))
  }

  const order = (host: FleetHost): Promise<Answer> =>
    unlessLate(() => host.bot().post(ordersPath, limitOrder()))
  const cancel = (host: FleetHost, key: string): Promise<Answer> =>
    host.bot().post(cancelPath, { order_id: "7" }, { "Idempotency-Key": key })

  /** Waits until c answers an order so. */
  async function untilOrder(expected: string): Promise<void> {
    const isSo = async () => {
      const answer = await order(c).catch(() => undefined)
      const outcome = answer?.status === 200 ? "signed" : answer?.json.code
      return outcome === expected ? true : undefined
    }
    await until(isSo, `an order on c is ${expected}`)
  }

  async function cancelled(key: string): Promise<Answer> {
    const answer = await cancel(c, key)
    assert.equal(answer.status, 200, answer.text)
    const record = answer.headers.get("Countersign-Record") ?? ""
    isolated.push({ nonce: answer.json["nonce"] as number, record })
    return answer
  }

  it("signs cancels by nonces of its own, and says why nothing else; the others sign on", async () => {
    await cutOff()
    await untilOrder("isolated")
    const refused = await order(c)
    assert.equal(refused.status, 503)
    assert.match(
      refused.json.msg,
      /can't reach PostgreSQL: until \S+ it signs only cancels that no limit counts/,
    )
    assert.deepEqual(refused.json.data, { signs: "cancels", fix: "countersign doctor" })
    const first = await cancelled("one")
    assert.deepEqual((await cancel(c, "one")).json, first.json)
    await cancelled("two")
    for (const { nonce } of isolated) {
      assert.equal(nonce % 64, turnNonces.last + 1 + (shownSetting().fleet.hosts["c"]?.slot ?? 0))
    }
    const ready = await fetch(`${c.daemon().url}/readyz`)
    const { data } = (await ready.json()) as { data: object }
    assert.deepEqual([ready.status, data], [200, { signs: "cancels", reasons: ["isolated"] }])
    assert.match((await c.run("status")).stdout, /signing +signs only cancels: This host can't/)
    assert.equal((await order(a)).status, 200)
  })

  it("takes no operator's act there but to lock and unlock", async () => {
    const frozen = await c.run("freeze", "--all", "--reason", "a drill")
    assert.deepEqual([frozen.code, frozen.stdout], [4, ""])
    assert.match(
      frozen.stderr,
      /the other hosts wouldn't know of it: do this on one that reaches it/,
    )
    assert.doesNotMatch(c.daemon().stderr(), /"event":"frozen"/)
    assert.equal((await c.run("lock")).code, 0)
    assert.equal((await cancel(c, "locked")).json.code, "locked")
    assert.equal((await c.run("unlock")).code, 0)
    await cancelled("three")
  })

  it("signs a batch's cancels beside what it refuses", async () => {
    const requests = [
      { path: "/v1/trade/orders/cancel", body: { order_id: "8" } },
      { path: "/v1/trade/orders", body: limitOrder() },
      { path: "/v1/trade/orders", body: limitOrder(), idempotency_key: "before" },
    ]
    const { status, json } = await c.bot().post("/sign/batch", { requests })
    assert.equal(status, 200, JSON.stringify(json))
    const { results } = json.data as { results: readonly { status: number; body: unknown }[] }
    assert.deepEqual(
      results.map((each) => each.status),
      [200, 503, 503],
    )
  })

  it("signs what a panic cancels, and says that nothing is frozen", async () => {
    const { code, stdout } = await c.run("panic", "--reason", "a drill")
    assert.equal(code, 1)
    assert.match(stdout, /^Nothing is frozen: this host can't reach PostgreSQL\. Run countersign/)
    assert.match(stdout, /cancelAll by mm unsent/) // no venue listens
    assert.doesNotMatch(stdout, /until countersign thaw/)
  })

  it("goes on where it was after it was killed", async () => {
    const vault = await childRunning(c.daemon().pid, "vault/main")
    process.kill(vault.pid, "SIGKILL")
    await untilOrder("isolated")
    await cancelled("four")
    const nonces = isolated.map(({ nonce }) => nonce)
    assert.deepEqual(
      nonces,
      nonces.toSorted((one, other) => one - other),
    )
  })

  it("signs all again once it is back, and every host has what it signed", async () => {
    await setRelay(relayConfig)
    await untilOrder("signed")
    assert.ok(!existsSync(join(c.dir, "isolated.db")))
    assert.equal((await order(a)).status, 200) // having followed it
    for (const { nonce, record } of isolated) {
      for (const host of [a, c]) {
        const shown = await host.run("audit", "show", record)
        assert.match(shown.stdout, new RegExp(`"isolated": true[^]*"nonce": ${nonce}`))
      }
    }
    for (const host of [a, c]) {
      const verified = await host.run("audit", "verify")
      assert.equal(verified.code, 0, verified.stderr)
    }
    const again = await cancel(a, "one")
    assert.equal(again.status, 200, again.text)
    assert.equal(again.json["nonce"], isolated[0]?.nonce)
  })
})
