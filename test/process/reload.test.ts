import assert from "node:assert/strict"
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { StatusView } from "../../src/contract/views.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { guardedAccount } from "../support/guarded-account.ts"
import { childRunning, killAllNaming, processesBelow, until } from "../support/process-tree.ts"
import { assertRefused, copyOf } from "../support/refused-start.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

type Status = { readonly policy_hash: string; readonly warnings: readonly string[] }
type Failure = { readonly error: { readonly code: string; readonly message: string } }

/** Its hash, and its warnings' sentences. */
async function statusOf(where: readonly string[]): Promise<Status> {
  const { policy_hash, warnings } = await statusJson<StatusView>(where)
  return { policy_hash, warnings: warnings.map(({ message }) => message) }
}

const path = "/sign/v1/trade/orders"
const denial = "deny:\n  - {name: stop, endpoints: [placeOrder]}\n"
const broken = `${tradingPolicy}rulez: []\n`
const brokenAt = /\/policies\/trading\.yaml:\d+:1: unknown key "rulez"/

describe("changing files while the daemon runs", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let client: Bot
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await writePolicy(installation.dir, tradingPolicy)
    appendFileSync(join(installation.dir, "countersign.yaml"), "reload_on_change: false\n")
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    client = bot(daemon.url, await addClient(installation.dir, "bot"))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const status = () => statusOf(at())
  const place = () => client.post(path, limitOrder())
  const write = (text: string) => writePolicy(installation.dir, text)

  it("does nothing by itself", async () => {
    const { policy_hash: before } = await status()
    await write(`${tradingPolicy}${denial}`)
    assert.equal((await place()).status, 200)
    assert.equal((await status()).policy_hash, before)
  })

  it("is put in force by policy reload, which prints the set's hash", async () => {
    const answer = await countersignJson<Status>(at("policy", "reload"))
    assert.equal(answer.policy_hash, (await status()).policy_hash)
    assert.deepEqual(answer.warnings, (await status()).warnings)
    const refused = await place()
    assert.deepEqual([refused.status, refused.json.code], [403, "policy_denied"])

    await write(tradingPolicy)
    const { stdout, code } = await countersign(at("policy", "reload"))
    const { policy_hash: hash } = await status()
    assert.equal(stdout.split("\n")[0], `The files are in force: ${hash}`)
    assert.equal(code, 0)
    assert.equal((await place()).status, 200)
  })

  it("ends policy reload with 1, file, line and column when they are broken, and keeps the old ones", async () => {
    const { policy_hash: before } = await status()
    await write(`${broken}${denial}`)
    const forPeople = await countersign(at("policy", "reload"))
    assert.equal(forPeople.code, 1)
    assert.match(forPeople.stderr, brokenAt)
    const forScripts = await countersign(at("policy", "reload", "--json"))
    assert.equal(forScripts.code, 1)
    const { error } = JSON.parse(forScripts.stdout) as Failure
    assert.equal(error.code, "config_invalid")
    assert.match(error.message, brokenAt)
    assert.equal((await status()).policy_hash, before)
    assert.equal((await place()).status, 200)
    await write(tradingPolicy)
  })

  it("ends policy reload and policy check alike where the gate couldn't read accounts by them", async () => {
    const file = join(installation.dir, "venue.yaml")
    const text = readFileSync(file, "utf8")
    writeFileSync(file, text + guardedAccount.replace("signed", "unsigned"))
    const ended = [
      await countersign(at("policy", "reload")),
      await countersign(at("policy", "check")),
    ]
    writeFileSync(file, text)
    for (const { code, stderr } of ended) {
      assert.equal(code, 1)
      assert.match(
        stderr,
        /\/venue\.yaml:\d+:\d+: expected signed, or .* \(at account\.positions\.sign\)/,
      )
    }
  })

  it("ends policy reload with 2 and a sentence when they need a restart", async () => {
    const file = join(installation.dir, "countersign.yaml")
    const text = readFileSync(file, "utf8")
    writeFileSync(file, `${text}listen: {port: 1}\n`)
    const { code, stderr } = await countersign(at("policy", "reload"))
    writeFileSync(file, text)
    assert.equal(code, 2)
    assert.match(stderr, /^countersign: listen can't change while the daemon runs; restart it/)
  })

  it("follows SIGHUP to serve, and logs what is wrong with the files when they are broken", async () => {
    const { policy_hash: before } = await status()
    await write(broken)
    process.kill(daemon.pid, "SIGHUP")
    const logged = /"event":"reload_failed","code":"config_invalid",.*trading\.yaml:\d+:1: /
    await until(() => (logged.test(daemon.stderr()) ? true : undefined), "the mistake is logged")
    assert.equal((await status()).policy_hash, before)
    assert.equal((await place()).status, 200)

    await write(`${tradingPolicy}${denial}`)
    process.kill(daemon.pid, "SIGHUP")
    await until(async () => ((await place()).status === 403 ? true : undefined), "it is in force")
    // It is in force a moment before it is durable, and logged once it is.
    const reloaded = /"event":"reloaded","policy_hash":"[0-9a-f]{64}"/
    await until(() => (reloaded.test(daemon.stderr()) ? true : undefined), "the reload is logged")
    assert.notEqual((await status()).policy_hash, before)
  })

  it("survives a SIGHUP to gate and vault themselves", async () => {
    const all = processesBelow(daemon.pid).map(({ pid }) => pid)
    assert.equal(all.length, 2)
    await write(tradingPolicy)
    for (const pid of [daemon.pid, ...all]) process.kill(pid, "SIGHUP")
    await until(async () => ((await place()).status === 200 ? true : undefined), "it is in force")
    assert.deepEqual(
      processesBelow(daemon.pid).map(({ pid }) => pid),
      all,
    )
  })

  it("signs nothing under the old files once policy reload has ended", async () => {
    let decided = "signed"
    let isOver = false
    const answers: { readonly expected: string; readonly answer: Answer }[] = []
    async function ask(): Promise<void> {
      while (!isOver) {
        const before = decided
        const answer = await place()
        // Only what was asked and answered between two reloads can be foretold.
        if (before === decided && before !== "reloading") answers.push({ expected: before, answer })
      }
    }
    const bots = Promise.all([ask(), ask(), ask(), ask()])
    for (const next of ["denied", "signed", "denied", "signed"]) {
      decided = "reloading"
      await write(next === "denied" ? `${tradingPolicy}${denial}` : tradingPolicy)
      await countersignJson(at("policy", "reload"))
      decided = next
      const many = answers.length + 10
      await until(() => (answers.length >= many ? true : undefined), "bots were answered")
    }
    isOver = true
    await bots
    for (const { expected, answer } of answers) {
      assert.equal(answer.status, expected === "signed" ? 200 : 403, answer.text)
    }
  })

  it("doesn't forget what a limit has used", async () => {
    const limit = 'limits:\n  - {name: few, count: requests, window: 1h, max: "3"}\n'
    await write(`${tradingPolicy}${limit}`)
    await countersignJson(at("policy", "reload"))
    const spent = await place()
    assert.deepEqual([spent.status, spent.json.code], [429, "limit_exhausted"])
    assert.ok(Number(spent.headers.get("Retry-After")) > 3_000)
    await write(`${tradingPolicy}${limit.replace("few", "many").replace("3", "100000")}`)
    await countersignJson(at("policy", "reload"))
    assert.equal((await place()).status, 200)
    const { limits } = (await client.get("/limits")).json.data as {
      limits: readonly { limit: string; used: string }[]
    }
    assert.equal(limits[0]?.limit, "many")
    assert.ok(Number(limits[0].used) > 3)
  })
})

describe("files that change with reload_on_change: true", { timeout: 120_000 }, () => {
  it("are put in force by themselves when they are valid", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    const { dir } = installation
    t.after(() => installation.remove())
    await writePolicy(dir, tradingPolicy)
    appendFileSync(join(dir, "countersign.yaml"), "reload_on_change: true\n")
    const daemon = await serve(dir)
    t.after(() => daemon.stop("SIGKILL"))
    await makeTradingKeys(dir)
    const client = bot(daemon.url, await addClient(dir, "bot"))
    const untilAnswered = (status: number) =>
      until(
        async () => ((await client.post(path, limitOrder())).status === status ? true : undefined),
        `orders are answered with ${status}`,
      )
    await untilAnswered(200)
    await writePolicy(dir, denied("stop"), "stop.yaml")
    await untilAnswered(403)
    await writePolicy(dir, "policy: [\n", "stop.yaml")
    await until(
      () => (/reload_failed.*stop\.yaml:\d+:\d+: /.test(daemon.stderr()) ? true : undefined),
      "the mistake is logged",
    )
    await untilAnswered(403)
    rmSync(join(dir, "policies", "stop.yaml"))
    await untilAnswered(200)
    writeFileSync(
      join(dir, "venue.yaml"),
      readFileSync(join(dir, "venue.yaml"), "utf8").replace("BTC-PERP", "XBT-PERP"),
    )
    await until(
      () => (/reload_failed.*trading\.yaml:\d+:\d+: /.test(daemon.stderr()) ? true : undefined),
      "the symbol that is gone is logged",
    )
    await untilAnswered(200)
  })
})

describe("files that broke while the daemon was down", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  let token: string
  let hash: string
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    const daemon = await serve(installation.dir)
    hash = (await status()).policy_hash
    await daemon.stop()
    await writePolicy(installation.dir, `${broken}${denial}`)
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const status = () => statusOf(at())

  async function withDaemon(use: (daemon: Served) => Promise<void>): Promise<void> {
    const daemon = await serve(installation.dir)
    try {
      await use(daemon)
    } finally {
      await daemon.stop()
    }
  }

  it("leave the last good ones running, and an alarm that says file, line and column", async () => {
    await withDaemon(async (daemon) => {
      const answer = await bot(daemon.url, token).post(path, limitOrder())
      assert.equal(answer.status, 200, answer.text)
      assert.match(
        daemon.stderr(),
        /^warning: The files on disk aren't used; .*trading\.yaml:\d+:1: /m,
      )
      const { policy_hash: now, warnings } = await status()
      assert.equal(now, hash)
      assert.match(warnings[0] ?? "", brokenAt)
    })
  })

  it("still do after another start, and for a vault that was killed", async () => {
    await withDaemon(async (daemon) => {
      const vault = await childRunning(daemon.pid, "vault/main")
      process.kill(vault.pid, "SIGKILL")
      const client = bot(daemon.url, token)
      await until(
        async () => ((await client.post(path, limitOrder())).status === 200 ? true : undefined),
        "the vault is back",
      )
      const { policy_hash: now, warnings } = await status()
      assert.equal(now, hash)
      assert.match(warnings[0] ?? "", brokenAt)
    })
  })

  it("do for a command without a daemon too, and policy check tells the mistake", async () => {
    assert.equal((await status()).policy_hash, hash)
    const { code, stderr } = await countersign(at("policy", "check"))
    assert.equal(code, 1)
    assert.match(stderr, brokenAt)
  })

  it("are refused by serve --strict", async () => {
    const command = ["serve", "--port", "0", "--strict"]
    await assertRefused(copyOf(installation), { says: brokenAt, command })
  })

  it("leave their alarm when they are fixed and loaded", async () => {
    await withDaemon(async () => {
      const { code, stderr } = await countersign(at("policy", "reload"))
      assert.equal(code, 1)
      assert.match(stderr, brokenAt)
      assert.match((await status()).warnings[0] ?? "", brokenAt)
      await writePolicy(installation.dir, `${tradingPolicy}${denial}`)
      await countersignJson(at("policy", "reload"))
      const { policy_hash: now, warnings } = await status()
      assert.notEqual(now, hash)
      assert.doesNotMatch(warnings.join(), /aren't used/)
    })
  })

  it("give way to the set of the last reload, not of the last start", async () => {
    const { policy_hash: reloaded } = await status()
    await writePolicy(installation.dir, "policy: [\n")
    await withDaemon(async (daemon) => {
      assert.equal((await status()).policy_hash, reloaded)
      const answer = await bot(daemon.url, token).post(path, limitOrder())
      assert.equal(answer.json.code, "policy_denied", answer.text)
    })
  })
})

describe("broken files where none were ever in force", { timeout: 120_000 }, () => {
  it("are refused, also after keys and clients were made without a daemon", async (t) => {
    const installation = await makeInstallation()
    t.after(() => installation.remove())
    const { dir } = installation
    await writePolicy(dir, tradingPolicy)
    await makeTradingKeys(dir)
    await addClient(dir, "bot")
    await writePolicy(dir, broken)
    await assertRefused(copyOf(installation), { says: brokenAt })
    const { code, stderr } = await countersign(["clients", "list", "--dir", dir])
    assert.equal(code, 1)
    assert.match(stderr, brokenAt)
    await killAllNaming(installation.home)
  })

  it("can't be reloaded without a daemon either, and sound ones are those of the next start", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    t.after(() => installation.remove())
    await writePolicy(installation.dir, tradingPolicy)
    const reloaded = await countersign(["policy", "reload", "--dir", installation.dir])
    assert.equal(reloaded.code, 0)
    assert.match(reloaded.stdout, /^No daemon runs here; its next start takes the files on disk: /)
    await writePolicy(installation.dir, broken)
    const { code, stderr } = await countersign(["policy", "reload", "--dir", installation.dir])
    assert.equal(code, 1)
    assert.match(stderr, brokenAt)
  })
})

function denied(name: string): string {
  return `policy: ${name}\n${denial}`
}
