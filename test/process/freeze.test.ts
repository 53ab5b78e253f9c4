import assert from "node:assert/strict"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { PanicReport } from "../../src/commands/stops.ts"
import { connectLink } from "../../src/contract/client.ts"
import type { StatusView } from "../../src/contract/views.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  countersignTyped,
  makeInstallation,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { replacePanic } from "../support/panic-lines.ts"
import { killAllNaming, runningProcess } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import { startRelay, type Relay } from "../support/relay.ts"
import { ctrlC, enter } from "../support/typist.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const orders = "/v1/trade/orders"
const cancelOne = "/v1/trade/orders/cancel"
const heartbeats = `heartbeats:
  frozen-bot: {within: 1s}
  dead-bot: {within: 1s, then: panic}
`

describe(
  "freeze, panic and heartbeats, with a daemon and the sandbox",
  { timeout: 240_000 },
  () => {
    let venue: Served
    let relay: Relay
    let installation: TemporaryInstallation
    let daemon: Served
    let client: Bot
    let guard: Bot
    before(async () => {
      venue = await sandbox()
      relay = await startRelay(Number(new URL(venue.url).port))
      installation = await makeInstallation(["--venue", "sandbox", "--upstream", relay.url])
      const { dir } = installation
      appendFileSync(join(dir, "countersign.yaml"), heartbeats)
      replacePanic(dir, "panic: [{operation: cancelAll, key: mm, body: '{\"symbol_id\": 1}'}]\n")
      await writePolicy(dir, tradingPolicy)
      daemon = await serve(dir)
      await makeTradingKeys(dir)
      await countersignJson(["agent", "approve", "mm", "--valid-days", "30", "--dir", dir])
      client = bot(daemon.url, await addClient(dir, "bot"))
      guard = bot(daemon.url, await withRight("guard", "freeze"))
    })
    after(async () => {
      await daemon.stop()
      await killAllNaming(installation.dir)
      await installation.remove()
      await relay.close()
      await venue.stop()
    })

    const withRight = (name: string, right: string): Promise<string> =>
      addClient(installation.dir, name, ["--keys", "mm", "--right", right])
    const run = (...args: readonly string[]) => countersign([...args, "--dir", installation.dir])
    const status = (): Promise<StatusView> => statusJson<StatusView>(["--dir", installation.dir])
    const thaw = () => countersignJson(["thaw", "--everything", "--dir", installation.dir])
    const place = (): Promise<Answer> => client.post(orders, limitOrder())
    const frozenBy = async (): Promise<readonly string[]> =>
      (await status()).freezes.map(({ scope, name, by }) => `${scope} ${name} ${by}`)

    /** The orders that are open at the sandbox. */
    async function openOrders(): Promise<readonly unknown[]> {
      const answer = await fetch(`${venue.url}/v1/trade/open-orders`)
      return ((await answer.json()) as { data: { list: readonly unknown[] } }).data.list
    }

    async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
      const endMs = performance.now() + 30_000
      while (!(await isSo())) {
        if (performance.now() > endMs) throw new Error(`never: ${what}`)
        await pause(50)
      }
    }

    async function cancelPlaced(placed: Answer): Promise<Answer> {
      return client.post(cancelOne, { order_id: placed.json.data["order_id"] })
    }

    it("POST /freeze needs the right, stops orders and lets cancels through", async () => {
      const placed = await place()
      assert.equal(placed.json.code, "0")
      const body = { scope: "all", reason: "the feed looks wrong" }
      const missing = await client.post("/freeze", body)
      assert.deepEqual([missing.status, missing.json.code], [403, "right_missing"])
      assert.equal((await place()).json.code, "0")

      const frozen = await guard.post("/freeze", body)
      assert.deepEqual([frozen.status, frozen.json.data["by"]], [200, "guard"])
      const refused = await place()
      assert.deepEqual([refused.status, refused.json.code], [423, "frozen"])
      assert.match(refused.json.msg, /the feed looks wrong.*countersign thaw/)
      assert.equal(refused.json.data["scope"], "all")
      assert.equal((await client.post(`/sign${orders}`, limitOrder())).status, 423)
      assert.equal((await cancelPlaced(placed)).json.code, "0")
      assert.match(daemon.stderr(), /"event":"frozen"/)
    })

    it("only the command line thaws: there is no route and no bot's call", async () => {
      for (const path of ["/thaw", "/freeze/thaw", "/unfreeze"]) {
        assert.equal((await guard.post(path, { scope: "all" })).status, 404)
      }
      type Calls = Record<string, never>
      const link = connectLink<Calls, Calls>(join(installation.dir, "bot.sock"))
      await assert.rejects(link.call("thaw", { scope: "all", name: null } as never))
      link.close()
      assert.equal((await place()).status, 423)
      await thaw()
      assert.equal((await place()).json.code, "0")
      assert.match(daemon.stderr(), /"event":"thawed"/)
    })

    it("--no-cancels stops cancels too, and status says so first of all", async () => {
      const placed = await place()
      const froze = await run("freeze", "--reason", "all of it", "--no-cancels")
      assert.equal(froze.code, 0)
      assert.equal((await cancelPlaced(placed)).status, 423)
      const { stdout } = await run("status")
      assert.match(
        stdout,
        /^FROZEN +Everything is frozen since .* by operator \(cancels too\): all of it\n/,
      )
      await thaw()
      assert.equal((await cancelPlaced(placed)).json.code, "0")
      assert.doesNotMatch((await run("status")).stdout, /FROZEN/)
    })

    it("a freeze outlives kill -9 of the vault, once it was answered", async () => {
      await guard.post("/freeze", { scope: "key", name: "mm", reason: "before the crash" })
      const { pid } = await status()
      process.kill(pid, "SIGKILL")
      await until("the vault has ended", () => Promise.resolve(runningProcess(pid) === undefined))
      await until("another is ready", async () => {
        const { status } = await fetch(`${daemon.url}/readyz`)
        return status === 200
      })
      assert.deepEqual(await frozenBy(), ["key mm guard"])
      assert.equal((await place()).status, 423)
      await thaw()
      assert.equal((await place()).json.code, "0")
    })

    it("panic freezes everything and cancels at the venue", async () => {
      await place()
      assert.notEqual((await openOrders()).length, 0)
      const { code, stdout } = await run("panic", "--reason", "positions look wrong", "--json")
      assert.equal(code, 0, stdout)
      const report = JSON.parse(stdout) as PanicReport
      assert.deepEqual(
        report.results.map(({ operation, key, outcome }) => [operation, key, outcome]),
        [["cancelAll", "mm", "accepted"]],
      )
      assert.equal((await openOrders()).length, 0)
      assert.deepEqual(await frozenBy(), ["all null operator"])
      assert.equal((await place()).status, 423)
      await thaw()
    })

    it("panic tells what isn't known, and ends with 1", async () => {
      relay.interceptNext((toDaemon) => toDaemon.destroy())
      const { code, stdout } = await run("panic")
      assert.equal(code, 1)
      assert.match(stdout, /^Everything is frozen/)
      assert.match(stdout, /cancelAll by mm unknown: It isn't known whether the venue accepted/)
      await thaw()
    })

    it("a missed heartbeat freezes its client, and heartbeats that go on don't thaw it", async () => {
      const beating = bot(daemon.url, await withRight("frozen-bot", "heartbeat"))
      assert.equal((await client.post("/heartbeat", {})).json.code, "right_missing")
      const heard = await beating.post("/heartbeat", {})
      assert.deepEqual(heard.json.data, { within_ms: 1_000, then: "freeze", frozen: false })
      await until("it is frozen", async () => (await frozenBy()).length > 0)
      assert.deepEqual(await frozenBy(), ["client frozen-bot heartbeats/frozen-bot"])
      assert.equal((await beating.post("/heartbeat", {})).json.data["frozen"], true)
      assert.equal((await beating.post(orders, limitOrder())).status, 423)
      assert.equal((await place()).json.code, "0")
      assert.match(daemon.stderr(), /"event":"heartbeat_missed"/)
      // Its beat just now is counted again: without its token nothing is.
      await countersignJson(["clients", "revoke", "frozen-bot", "--yes", "--dir", installation.dir])
      await thaw()
    })

    it("a missed heartbeat panics through the gate, also after the vault was restarted", async () => {
      await place()
      const dead = bot(daemon.url, await withRight("dead-bot", "heartbeat"))
      await dead.post("/heartbeat", {})
      await until("all is cancelled", async () => (await openOrders()).length === 0)
      assert.deepEqual(await frozenBy(), ["all null heartbeats/dead-bot"])
      assert.equal((await place()).status, 423)
    })

    it("and all of that is in the ledger", async () => {
      assert.equal(await daemon.stop(), 0)
      const entries = readLedger(join(installation.dir, "ledger.db")).map(({ row }) => row)
      const panicked = entries.filter((row) => row["client"] === "panic")
      assert.deepEqual(
        panicked.map((row) => [row["operation"], row["rule"], row["key"]]),
        [["cancelAll", "panic", "mm"]],
      )
      const outcomes = entries.filter((row) => row["record"] === panicked[0]?.["id"])
      assert.deepEqual(
        outcomes.map((row) => row["outcome"]),
        ["sent", "accepted"],
      )
      const missed = entries.filter((row) => row["act"] === "heartbeat_missed")
      const names = missed.map((row) => row["client"])
      assert.equal(names.filter((name) => name === "dead-bot").length, 1)
      assert.ok(names.includes("frozen-bot"))
    })
  },
)

describe("countersign panic where venue.yaml says nothing of it", () => {
  it("freezes, names the line to add, and ends with 1", async () => {
    const installation = await makeInstallation()
    const { dir } = installation
    replacePanic(dir, "")
    await writePolicy(dir, tradingPolicy)
    const checked = await countersign(["policy", "check", "--strict", "--dir", dir])
    assert.deepEqual([checked.code, /can't cancel; add .* panic:/.test(checked.stdout)], [1, true])
    for (const words of [["status"], ["doctor"]]) {
      const { stdout } = await countersign([...words, "--dir", dir])
      assert.match(stdout, /A panic freezes and can't cancel; add to venue\.yaml: panic: /)
    }
    const panicked = await countersign(["panic", "--dir", dir])
    assert.equal(panicked.code, 1)
    assert.match(panicked.stdout, /^Everything is frozen/)
    assert.match(panicked.stdout, /^No cancel was sent: venue\.yaml gives none under panic\.$/m)
    assert.match(panicked.stdout, /^add to venue\.yaml: panic: \[\{operation: cancelAll, body: /m)
    assert.match(
      panicked.stdout,
      /Then run: countersign policy reload .*, and again: countersign panic/,
    )
    const { freezes } = await statusJson<StatusView>(["--dir", dir])
    assert.equal(freezes.length, 1)
    await installation.remove()
  })
})

describe("freeze and thaw on a bad day", () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
    await makeTradingKeys(installation.dir)
    await addClient(installation.dir, "bot")
  })
  after(() => installation.remove())

  const at = (...words: readonly string[]) => [...words, "--dir", installation.dir]
  const frozen = async () => (await statusJson<StatusView>(["--dir", installation.dir])).freezes
  const freeze = async (...words: readonly string[]) => {
    assert.equal((await countersign(at("freeze", ...words))).code, 0)
    return (await frozen()).map(({ scope, name, reason }) => [scope, name, reason])
  }

  it("need no reason, and --all is what is meant without a name", async () => {
    for (const words of [[], ["--all"]]) {
      assert.deepEqual(await freeze(...words), [["all", null, "an operator's word"]])
      const { code, stdout } = await countersign(at("thaw"))
      assert.deepEqual([code, stdout], [0, "Nothing is frozen.\n"])
    }
  })

  it("refuse --all with a name", async () => {
    for (const one of ["--client", "--key"]) {
      const { code, stderr } = await countersign(at("freeze", "--all", one, "bot"))
      assert.equal(code, 2)
      assert.match(stderr, /--all, --client or --key/)
    }
    assert.deepEqual(await frozen(), [])
  })

  it("ask for a reason at a terminal, where Enter gives none and Ctrl-C leaves it", async () => {
    const asked = (keys: string) => countersignTyped(at("freeze"), [{ after: "Why?", keys }])
    for (const [typed, reason] of [
      ["the feed looks wrong", "the feed looks wrong"],
      ["", "an operator's word"],
    ]) {
      assert.equal((await asked(`${typed}${enter}`)).code, 0)
      assert.deepEqual(
        (await frozen()).map((each) => each.reason),
        [reason],
      )
      await countersign(at("thaw"))
    }
    assert.equal((await asked(ctrlC)).code, 1)
    assert.deepEqual(await frozen(), [])
  })

  it("are shown at a terminal before they end, and stay where that isn't agreed to", async () => {
    await freeze("--reason", "odd fills")
    const answer = (keys: string) => countersignTyped(at("thaw"), [{ after: "End it?", keys }])
    const declined = await answer(`n${enter}`)
    assert.equal(declined.code, 1)
    assert.match(declined.stderr, /Everything is frozen since .* by operator .*: odd fills/)
    assert.equal((await frozen()).length, 1)
    assert.equal((await answer(`y${enter}`)).code, 0)
    assert.deepEqual(await frozen(), [])
  })

  it("end the one freeze there is, and of several name what ends each", async () => {
    assert.deepEqual(await countersign(at("thaw")), {
      code: 0,
      stdout: "Nothing is frozen.\n",
      stderr: `Installation: ${installation.dir}\n`,
    })
    await freeze("--client", "bot", "--reason", "one\ntwo")
    assert.equal((await countersign(at("thaw"))).code, 0)
    assert.deepEqual(await frozen(), [])

    await freeze("--client", "bot", "--reason", "one\ntwo")
    await freeze("--key", "mm")
    await freeze()
    const { code, stderr } = await countersign(at("thaw"))
    assert.equal(code, 2)
    const thaw = `countersign thaw --dir ${installation.dir}`
    const named = stderr.split("\n").filter((line) => line.startsWith("countersign thaw"))
    assert.deepEqual(
      named.toSorted(),
      [
        `${thaw} --all`,
        `${thaw} --client bot`,
        `${thaw} --everything`,
        `${thaw} --key mm`,
      ].toSorted(),
    )
    assert.match(stderr, /one\\u000atwo$/m)
    assert.equal((await frozen()).length, 3)
    for (const words of [["--all"], ["--client", "bot"], []]) {
      assert.equal((await countersign(at("thaw", ...words))).code, 0)
    }
    assert.deepEqual(await frozen(), [])
  })
})
