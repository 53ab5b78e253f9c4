import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { after, before, describe, it } from "node:test"

import { limitOrder } from "../support/bot.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { askHttp } from "../support/gate.ts"
import { needs } from "../support/needs.ts"
import { addClient } from "../support/trading-keys.ts"

const curl = needs("curl", "apt-get install curl")
const promtool = needs("promtool", "apt-get install prometheus")

describe("the metrics of a daemon", { timeout: 120_000 }, () => {
  let daemon: BotDaemon
  let token: string
  before(async () => {
    daemon = await startBotDaemon(["--venue", "sandbox"])
    token = await addClient(daemon.dir, "prometheus", ["--keys", "mm", "--right", "metrics"])
    await daemon.post("/sign/v1/trade/orders", limitOrder())
    await daemon.post("/sign/v1/trade/orders", limitOrder({ quantity: "100" }))
  })
  after(() => daemon.remove())

  const scrape = (authorization: string) =>
    askHttp(daemon.port, { path: "/metrics", headers: { authorization } })

  it("are what promtool finds nothing wrong with", { ...curl, ...promtool }, () => {
    const line =
      'curl -sSf -H "Authorization: Bearer $TOKEN" "$URL/metrics" | promtool check metrics'
    const env = { ...process.env, TOKEN: token, URL: daemon.url }
    const script = ["-c", `set -o pipefail; ${line} 2>&1`]
    assert.equal(execFileSync("bash", script, { env, encoding: "utf8", timeout: 30_000 }), "")
  })

  it("tell of both processes, and what was decided", async () => {
    const { status, text } = await scrape(`Bearer ${token}`)
    assert.equal(status, 200)
    const lines = text.split("\n")
    const decided = 'countersign_decisions_total{client="bot",operation="placeOrder"'
    assert.ok(lines.includes(`${decided},result="allowed",reason=""} 1`))
    assert.ok(lines.includes(`${decided},result="refused",reason="quantity_over_max"} 1`))
    assert.ok(lines.includes('countersign_signs{what="all"} 1'))
    for (const part of ["gate", "vault"]) {
      assert.match(
        text,
        new RegExp(`^countersign_memory_resident_bytes\\{part="${part}"\\} \\d`, "m"),
      )
    }
  })

  it("are for nobody without the right", async () => {
    const refused = await scrape(`Bearer ${daemon.token}`)
    assert.deepEqual([refused.status, refused.envelope.code], [403, "right_missing"])
    const unknown = await scrape("Bearer nobody")
    assert.deepEqual([unknown.status, unknown.envelope.code], [401, "unauthorized"])
  })
})
