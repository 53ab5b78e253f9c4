import assert from "node:assert/strict"
import { once } from "node:events"
import { appendFileSync } from "node:fs"
import { createServer, type AddressInfo, type Server } from "node:net"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import type { Message } from "../../src/gate/notify/message.ts"
import type { TargetStand } from "../../src/gate/notify/teller.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming, until } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"
import { startWebhook, webhookSecret, type Webhook } from "../support/webhook.ts"

const limits = `limits:
  - {name: one, count: requests, window: 1h, max: "1", per: client}\n`

describe("messages to a webhook, from a daemon", { timeout: 240_000 }, () => {
  let webhook: Webhook
  let venue: Server
  let installation: TemporaryInstallation
  let daemon: Served
  let client: Bot
  const printed: string[] = []
  before(async () => {
    webhook = await startWebhook()
    venue = await startMuteVenue()
    const { port } = venue.address() as AddressInfo
    const upstream = ["--upstream", `http://127.0.0.1:${port}`]
    installation = await makeInstallation(["--venue", "sandbox", ...upstream])
    const { dir } = installation
    appendFileSync(join(dir, "countersign.yaml"), `notify: {webhook: "${webhook.url}"}\n`)
    await writePolicy(dir, tradingPolicy + limits)
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    client = bot(daemon.url, await addClient(dir, "bot"))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
    venue.close()
    await webhook.close()
  })

  const run = async (...args: readonly string[]) => {
    const ended = await countersign([...args, "--dir", installation.dir])
    printed.push(ended.stdout, ended.stderr)
    return ended
  }
  const heard = (alarm: string): readonly Message[] =>
    webhook.heard.map(({ message }) => message).filter((each) => each.alarm === alarm)

  it("countersign notify test has the gate send one, and says whether it was taken", async () => {
    const ended = await run("notify", "test", "--json")
    assert.equal(ended.code, 0, ended.stdout)
    const { ok, targets } = JSON.parse(ended.stdout) as { ok: boolean; targets: TargetStand[] }
    assert.deepEqual(
      [ok, targets.map(({ name, failing }) => [name, failing])],
      [true, [["webhook", null]]],
    )
    assert.equal(heard("test").length, 1)
    webhook.answer(404)
    const refused = await run("notify", "test")
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /^webhook: not taken\. 127\.0\.0\.1:\d+ answered HTTP 404\.\n$/)
    assert.match(
      (await run("doctor")).stdout,
      /webhook takes no messages\. 127\.0\.0\.1:\d+ answered HTTP 404/,
    )
    webhook.answer(200)
  })

  it("tell of a freeze, a spent limit and an unknown outcome, once each", async () => {
    const sent = await client.post("/v1/trade/orders", limitOrder())
    assert.equal(sent.json.code, "upstream_outcome_unknown")
    await countersignJson(["freeze", "--reason", "a drill", "--dir", installation.dir])
    const unknown = await webhook.message("outcome_unknown")
    assert.equal(unknown.subject, sent.json.data["record"])
    const spent = await webhook.message("limit_spent")
    assert.deepEqual([spent.subject, spent.severity], ["trading/one", "critical"])
    assert.match((await webhook.message("frozen")).text, /frozen by operator; .*countersign thaw/)
    await webhook.message("limit_nearly_spent")
    for (const alarm of ["outcome_unknown", "limit_spent", "limit_nearly_spent", "frozen"]) {
      assert.equal(heard(alarm).length, 1, alarm)
    }
  })

  it("come again while the webhook fails, and hold up nobody meanwhile", async () => {
    webhook.answer(503)
    await countersignJson(["thaw", "--all", "--dir", installation.dir])
    await webhook.message("frozen", "cleared")
    const refused = await client.post("/sign/v1/trade/orders", limitOrder())
    assert.equal(refused.json.code, "limit_exhausted")
    webhook.answer(200)
    const tries = webhook.heard.length
    await until(() => (webhook.heard.length > tries ? true : undefined), "it is tried again")
    assert.deepEqual(webhook.heard.at(-1)?.message, webhook.heard.at(-2)?.message)
    assert.deepEqual([...new Set(heard("frozen").map(({ state }) => state))], ["raised", "cleared"])
  })

  it("tell that the venue can't be reached, and since when, whatever a bot still asks for", async () => {
    const begunMs = Date.now()
    venue.close()
    const sent = await client.post("/v1/trade/orders/cancel", { order_id: "1" })
    assert.equal(sent.json.code, "upstream_unreachable")
    await sleep(20_000)
    const told = await webhook.message("venue_unreachable")
    assert.equal(told.severity, "critical")
    assert.match(told.text, /The venue can't be reached \(ECONNREFUSED\)/)
    assert.ok(Date.parse(told.at) < begunMs + 5_000)
  })

  it("show the webhook's address nowhere, and don't keep the daemon from ending", async () => {
    for (const args of [["status"], ["doctor"], ["policy", "check"], ["limits", "show"]]) {
      await run(...args)
    }
    webhook.answer("silent")
    await countersignJson(["freeze", "--reason", "a drill", "--dir", installation.dir])
    await until(
      () => (heard("frozen").at(-1)?.state === "raised" ? true : undefined),
      "it is told of the freeze",
    )
    assert.equal(await daemon.stop(), 0)
    const all = [...printed, daemon.stdout(), daemon.stderr()].join("\n")
    assert.ok(!all.includes(webhookSecret))
    assert.ok(!all.includes("/hooks/"))
  })
})

/** A venue that hangs up on whatever it is sent, so that nobody knows whether it took it. */
async function startMuteVenue(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.once("data", () => socket.destroy())
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return server
}
