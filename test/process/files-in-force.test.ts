import assert from "node:assert/strict"
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, beforeEach, describe, it } from "node:test"

import type { StatusView } from "../../src/contract/views.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { childRunning, killAllNaming, until } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const path = "/sign/v1/trade/orders"
const denial = "deny:\n  - {name: stop, endpoints: [placeOrder]}\n"
const edited = `${tradingPolicy}${denial}`

describe("the files in force", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let token: string
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })
  beforeEach(async () => {
    await writePolicy(installation.dir, tradingPolicy)
    await run("policy", "reload")
  })

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const client = (): Bot => bot(daemon.url, token)
  const place = async (): Promise<number> => (await client().post(path, limitOrder())).status
  const status = () => statusJson<StatusView>(at())
  const hash = async (): Promise<string> => (await status()).policy_hash
  const run = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await countersign(at(...args))
    assert.equal(code, 0, stderr)
    return stdout
  }

  async function killVault(signal: NodeJS.Signals): Promise<void> {
    const { pid } = await childRunning(daemon.pid, "vault/main")
    process.kill(pid, signal)
    await until(async () => {
      const other = await childRunning(daemon.pid, "vault/main")
      return other.pid !== pid && (await place()) !== 503 ? true : undefined
    }, "another vault serves")
  }

  async function killAll(): Promise<void> {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
  }

  async function startAgain(): Promise<void> {
    daemon = await serve(installation.dir)
  }

  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    it(`stay those that were loaded where a vault that got ${signal} is started again by serve`, async () => {
      const before = await hash()
      await writePolicy(installation.dir, edited)
      await killVault(signal)
      assert.match(
        daemon.stderr(),
        /"event":"process_ended","message":"The vault (?:was killed|ended)/,
      )
      assert.equal(await place(), 200)
      assert.equal(await hash(), before)
      await run("policy", "reload")
      assert.equal(await place(), 403)
    })
  }

  it("stay those that were loaded where everything was killed, also for a command before the next start", async () => {
    const before = await hash()
    await writePolicy(installation.dir, edited)
    await killAll()
    assert.equal((await status()).policy_hash, before)
    await startAgain()
    assert.equal(await place(), 200)
    assert.equal(await hash(), before)
  })

  it("stay those that were loaded where serve alone was killed, which ends its vault in good order", async () => {
    await writePolicy(installation.dir, edited)
    const { pid } = await childRunning(daemon.pid, "vault/main")
    await daemon.stop("SIGKILL")
    await until(() => (existsSync(`/proc/${pid}`) ? undefined : true), "the vault has ended too")
    await startAgain()
    assert.equal(await place(), 200)
  })

  it("become those on disk at a start after a stop that a person asked for, which says what changed", async () => {
    await writePolicy(installation.dir, edited)
    await daemon.stop()
    await startAgain()
    assert.equal(await place(), 403)
    assert.match(
      daemon.stderr(),
      /^The files have changed since the last stop, and are in force now:\n {9}policies\/trading\.yaml deny\/stop$/m,
    )
    await daemon.stop()
    await startAgain()
    assert.doesNotMatch(daemon.stderr(), /The files have changed/)
  })

  it("go on after a crash where those on disk are broken or gone, with serve --strict too", async () => {
    const before = await hash()
    await daemon.stop()
    daemon = await serve(installation.dir, ["--strict"])
    const file = join(installation.dir, "venue.yaml")
    const venue = readFileSync(file)
    rmSync(file)
    await killVault("SIGKILL")
    assert.equal(await place(), 200)
    const { policy_hash: now, warnings } = await status()
    assert.equal(now, before)
    assert.match(warnings[0]?.message ?? "", /aren't used; .*venue\.yaml/)
    writeFileSync(file, venue, { mode: 0o600 })
  })

  it("stay an earlier set that was rolled back to, over a crash, a stop and a start, until a reload", async () => {
    const first = await hash()
    await writePolicy(installation.dir, edited)
    await run("policy", "reload")
    const second = await hash()
    assert.match(await run("policy", "rollback"), new RegExp(`in force: ${first}\n`))
    await killVault("SIGKILL")
    assert.deepEqual([await hash(), await place()], [first, 200])
    await daemon.stop()
    await startAgain()
    assert.deepEqual([await hash(), await place()], [first, 200])
    await killAll()
    await run("policy", "reload") // without a daemon, as where none can start by the files in force
    await startAgain()
    assert.deepEqual([await hash(), await place()], [second, 403])
  })

  it("are told apart from those on disk by everything that shows them", async () => {
    const told = /the files on disk aren't in force: policies\/trading\.yaml/i
    const order = join(installation.dir, "order.json")
    writeFileSync(order, JSON.stringify(limitOrder()))
    const shows = [["policy", "show"], ["policy", "explain", order, "--client", "bot"], ["status"]]
    for (const show of shows) assert.doesNotMatch((await countersign(at(...show))).stdout, told)
    await writePolicy(installation.dir, edited)
    for (const show of shows) {
      const { stdout } = await countersign(at(...show))
      assert.match(stdout.split("\n").slice(0, 2).join("\n"), told, show.join(" "))
    }
    assert.match((await countersign(at("doctor"))).stdout, told)
    assert.match((await status()).warnings[0]?.message ?? "", told)
  })

  it("have one hash, in reload, log, rollback, status and records, which no client and no key changes", async () => {
    const before = await hash()
    await addClient(installation.dir, "another")
    assert.equal(await hash(), before)
    assert.match(await run("policy", "log"), new RegExp(`  ${before}\n`))
    const { headers } = await client().post(path, limitOrder())
    const id = headers.get("Countersign-Record") ?? ""
    const record = (await client().get(`/records/${id}`)).json.data
    assert.equal(record["policy_hash"], before)
    await writePolicy(installation.dir, edited)
    const { policy_hash: reloaded } = await countersignJson<StatusView>(at("policy", "reload"))
    assert.equal(await hash(), reloaded)
    assert.match(await run("policy", "log"), new RegExp(`  ${reloaded}\n`))
    assert.match(await run("policy", "rollback", before), new RegExp(`in force: ${before}\n`))
  })

  it("are shown by the hash that a record has, also where others are in force", async () => {
    const before = await hash()
    await writePolicy(installation.dir, edited)
    await run("policy", "reload")
    const shown = await run("policy", "show", before)
    assert.ok(shown.includes(tradingPolicy.trimEnd().replaceAll(/^/gm, "  ")))
    assert.match(shown, /^policies\/trading\.yaml$/m)
    assert.doesNotMatch(shown, /name: stop/)
    const files = await countersignJson<readonly { name: string; text: string }[]>(
      at("policy", "show", before),
    )
    const texts = new Map(files.map(({ name, text }) => [name, text]))
    assert.equal(texts.get("policies/trading.yaml"), tradingPolicy)
    const venue = readFileSync(join(installation.dir, "venue.yaml"), "utf8")
    assert.equal(texts.get("venue.yaml"), venue)
    const unknown = await countersign(at("policy", "show", "0".repeat(64)))
    assert.equal(unknown.code, 1)
    assert.match(unknown.stderr, /No files with this hash were in force here/)
  })

  it("are those of the first start of a version that keeps them, whatever an older one had", async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    rmSync(join(installation.dir, "in-force.json")) // an older version kept none
    await writePolicy(installation.dir, edited)
    await startAgain()
    assert.equal(await place(), 403)
  })
})
