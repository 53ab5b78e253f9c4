import assert from "node:assert/strict"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, afterEach, before, describe, it, type TestContext } from "node:test"

import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { childRunning, killAllNaming, until } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import { mountSmallDisk, needsMount, type SmallDisk } from "../support/small-disk.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const mebibyte = 1_048_576
/** More than ledger, log and spare take here. */
const diskMiB = 20
/** The spare is half of it. */
const minFreeMiB = 2

const cancels = "/sign/v1/trade/orders/cancel"

describe("a disk that fills up", { timeout: 180_000, ...needsMount() }, () => {
  let installation: TemporaryInstallation
  let spare: string
  let disk: SmallDisk | undefined
  let daemon: Served | undefined
  let token: string
  let client: Bot
  /** Of everything that was answered with 200. */
  const signed: number[] = []

  const smallDisk = (): SmallDisk => disk ?? assert.fail("no disk is mounted")
  const served = (): Served => daemon ?? assert.fail("no daemon runs")
  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const logged = (event: string) => served().stderr().split(`"${event}"`).length - 1

  async function post(path: string, body: unknown) {
    const answer = await client.post(path, body)
    if (answer.status === 200) signed.push(answer.json["nonce"] as number)
    return answer
  }
  const order = () => post("/sign/v1/trade/orders", limitOrder())
  const cancel = () => post(cancels, { order_id: "1" })
  /** Nothing but 200 and 503 may come meanwhile. */
  const untilSigned = (ask: typeof order) =>
    until(async () => {
      const { status } = await ask()
      assert.ok(status === 200 || status === 503, `answered ${status}`)
      return status === 200 ? true : undefined
    }, "it signs again")
  const untilLogged = (event: string, times: number) =>
    until(() => (logged(event) >= times ? true : undefined), `the log says ${event}`)
  const untilSpared = () =>
    until(() => {
      const { size } = statSync(spare, { throwIfNoEntry: false }) ?? { size: 0 }
      return size === (minFreeMiB * mebibyte) / 2 ? true : undefined
    }, "the spare is there")

  before(async () => {
    installation = await makeInstallation()
    const config = join(installation.dir, "countersign.yaml")
    writeFileSync(
      config,
      readFileSync(config, "utf8").replace("min_free: 0", `min_free: ${minFreeMiB}MiB`),
    )
    spare = join(installation.dir, "ledger.spare")
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    disk = mountSmallDisk(installation.dir, diskMiB)
    daemon = await serve(installation.dir, ["--passphrase-file", installation.passphraseFile])
    client = bot(daemon.url, token)
  })
  // What it says when a step waits in vain.
  afterEach((context) => {
    const test = context as TestContext // of a test, in a hook for each
    if (!test.passed) test.diagnostic(served().stderr().slice(-4_000))
  })
  after(async () => {
    await killAllNaming(installation.dir)
    disk?.unmount()
    await installation.remove()
  })

  it("has a spare put by once there is room", async () => {
    await untilSigned(order)
    await untilSpared()
    assert.equal(statSync(spare).mode & 0o777, 0o600)
  })

  it("has orders refused without a record below min_free, and cancels and freezes recorded", async () => {
    smallDisk().fill(minFreeMiB * mebibyte - 256 * 1_024)
    await untilLogged("disk_low", 1)
    const { status, json, headers } = await order()
    assert.deepEqual([status, json.code], [503, "disk_low"])
    assert.equal(headers.has("Countersign-Record"), false)
    const { msg, data } = json
    assert.match(msg, /1 MiB are free .* ledger\.min_free asks for 2 MiB/)
    assert.equal(data["min_free_bytes"], minFreeMiB * mebibyte)
    assert.equal((await cancel()).status, 200)
    const checked = await client.post("/check/v1/trade/orders", limitOrder())
    assert.equal((checked.json.data["refusal"] as { code: string }).code, "disk_low")
    assert.equal((await client.get("/readyz")).status, 200)
    const frozen = await countersign(at("freeze", "--key", "main", "--reason", "a drill"))
    assert.equal(frozen.code, 0, frozen.stderr)
    const shown = await statusJson<{ state: { reasons: readonly { message: string }[] } }>(at())
    assert.match(shown.state.reasons[0]?.message ?? "", /ledger\.min_free asks for 2 MiB/)
    assert.ok(existsSync(spare), "the spare is for later")
  })

  it("gives the spare up for cancels when nothing else is left, then signs nothing without its record", async () => {
    smallDisk().fill()
    await until(async () => {
      // Together, so that the commit that meets the full disk is several requests'.
      const answers = await Promise.all(Array.from({ length: 8 }, cancel))
      for (const { status } of answers) assert.equal(status, 200)
      return existsSync(spare) ? undefined : true
    }, "the spare is given up")
    await untilLogged("spare_gone", 1)
    await until(async () => {
      const { status, json } = await cancel()
      if (status === 200) return undefined
      assert.equal(status, 503)
      assert.match(json.code, /^(ledger|vault)_unavailable$/)
      return true
    }, "nothing is left")

    smallDisk().free()
    await untilSigned(order)
    await untilSpared()
  })

  it("starts on a full disk with what was put by, and recovers by itself", async () => {
    const vault = await childRunning(served().pid, "vault/main")
    smallDisk().fill()
    process.kill(vault.pid, "SIGKILL")
    await until(() => (existsSync(spare) ? undefined : true), "the spare is given up")
    await untilSigned(cancel)
    smallDisk().free()
    await untilSigned(order)
    await untilSpared()
    assert.equal(await served().stop(), 0)
  })

  it("has a record for all that was signed, and no nonce twice", () => {
    const rows = readLedger(join(installation.dir, "ledger.db"))
    const recorded = new Set(rows.map(({ row }) => row["nonce"]))
    assert.deepEqual(
      signed.filter((nonce) => !recorded.has(nonce)),
      [],
    )
    assert.equal(new Set(signed).size, signed.length)
    assert.ok(rows.some(({ row }) => row["act"] === "frozen"))
    assert.deepEqual(
      rows.filter(({ kind }) => kind === "refusal"),
      [],
    )
  })
})
