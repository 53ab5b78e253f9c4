import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { PanicReport } from "../../src/commands/stops.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersignJson,
  countersignProcess,
  makeInstallation,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { clockOf, launcherWith, needsFaketime } from "../support/faketime.ts"
import { replacePanic } from "../support/panic-lines.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const turns = 20
const openAtOnce = 5

describe("a clock that steps ahead under load", { timeout: 180_000, ...needsFaketime }, () => {
  let venue: Served
  let installation: TemporaryInstallation
  let environment: Readonly<Record<string, string>>
  let clockFile: string
  let daemon: Served
  let client: Bot

  before(async () => {
    venue = await sandbox()
    installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
    const { dir } = installation
    clockFile = join(installation.home, "clock")
    environment = clockOf(clockFile)
    setClock("+0")
    const panic = "panic: [{operation: cancelAll, key: mm, body: '{\"symbol_id\": 1}'}]\n"
    replacePanic(dir, panic)
    await writePolicy(dir, tradingPolicy)
    // Gate and vault alike; the sandbox keeps the right time.
    daemon = await serve(dir, [], { program: launcherWith(environment, installation.home) })
    await makeTradingKeys(dir)
    await countersignJson(["agent", "approve", "mm", "--valid-days", "30", "--dir", dir])
    client = bot(daemon.url, await addClient(dir, "bot"))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
    await venue.stop()
  })

  const setClock = (offset: string) => writeFileSync(clockFile, offset)
  const place = () => client.post("/v1/trade/orders", limitOrder())
  const placeMany = (count: number) => Promise.all(Array.from({ length: count }, place))

  it("stops orders, and no cancel is refused, or dropped as too late", async () => {
    const placed: string[] = []
    for (let turn = 0; turn < turns; turn++) {
      const answers = await placeMany(openAtOnce)
      placed.push(...answers.map(({ json }) => String(json.data["order_id"])))
    }
    const cancelled: string[] = []
    for (let turn = 0; turn < turns; turn++) {
      if (turn === turns / 2) setClock("+1h")
      const some = placed.splice(0, openAtOnce)
      const answers = await Promise.all([
        place(),
        ...some.map((order) => client.post("/v1/trade/orders/cancel", { order_id: order })),
      ])
      const [order, ...cancels] = answers.map(({ json }) => json.code)
      if (turn > turns / 2) assert.equal(order, "clock_unsafe")
      cancelled.push(...cancels)
    }
    assert.deepEqual(
      cancelled,
      Array.from({ length: turns * openAtOnce }, () => "0"),
    )
  })

  it("stops no panic, which sends what it signed", async () => {
    setClock("+0")
    await placeMany(openAtOnce)
    setClock("+1h")
    const args = ["panic", "--json", "--dir", installation.dir]
    const { code, stdout, stderr } = await countersignProcess(args, "", { environment })
    assert.equal(code, 0, stderr)
    const { results } = JSON.parse(stdout) as PanicReport
    assert.deepEqual(
      results.map(({ operation, outcome }) => [operation, outcome]),
      [["cancelAll", "accepted"]],
    )
    const open = await fetch(`${venue.url}/v1/trade/open-orders`)
    const { data } = (await open.json()) as { data: { list: readonly unknown[] } }
    assert.deepEqual(data.list, [])
  })
})
