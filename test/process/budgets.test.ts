import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { StatusView } from "../../src/contract/views.ts"
import type { BudgetView } from "../../src/contract/bot-views.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  makeInstallation,
  serve,
  withBudgets,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: all
rules: [{name: all, endpoints: [placeOrder, placeBatch, cancelOrder]}]
`
/** Leaves the greedy bot 240 of the address budget and 60 of the IP's. */
const settings = "budgets: {shares: {modest: 90%}, cancel_reserve: 5%}\n"

const orders = "/sign/v1/trade/orders"
const cancels = "/sign/v1/trade/orders/cancel"
/** Of another address, which the modest bot has no key for. */
const otherKey = { "Countersign-Key": "main" }
const hundredOrders = {
  orders: Array.from({ length: 100 }, () => limitOrder({ quantity: "0.01" })),
}

describe("rate budgets over HTTP", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let greedy: Bot
  let modest: Bot
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await withBudgets(installation.dir, settings)
    await writePolicy(installation.dir, policy)
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    greedy = bot(daemon.url, await addClient(installation.dir, "greedy"))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("warn of a share for a client that isn't there yet", async () => {
    const status = () => statusJson<StatusView>(["--dir", installation.dir])
    assert.match(
      (await status()).warnings.map(({ message }) => message).join(),
      /a share for modest/,
    )
    modest = bot(daemon.url, await addClient(installation.dir, "modest", ["--keys", "mm"]))
    assert.doesNotMatch((await status()).warnings.map(({ message }) => message).join(), /share/)
  })

  it("stop one bot that has used up both, in the venue's own words", async () => {
    const batches = await Promise.all(
      Array.from({ length: 30 }, () => greedy.post(`${orders}/batch`, hundredOrders)),
    )
    assert.equal(signed(batches), 21) // of 11 each
    const ofAddress = batches.find(({ status }) => status !== 200)
    assert.deepEqual(told(ofAddress), { status: 429, code: "10029", scope: "address" })
    const singles = await Promise.all(
      Array.from({ length: 12 }, () => greedy.post(orders, limitOrder())),
    )
    assert.equal(signed(singles), 9)
    const others = await Promise.all(
      Array.from({ length: 33 }, () => greedy.post(orders, limitOrder(), otherKey)),
    )
    assert.equal(signed(others), 30)
    const ofIp = others.find(({ status }) => status !== 200)
    assert.deepEqual(told(ofIp), { status: 429, code: "ip_budget_exhausted", scope: "ip" })
    const ofCancels = await Promise.all(
      Array.from({ length: 3 }, () => greedy.post(cancels, { order_id: "1" })),
    )
    assert.ok(signed(ofCancels) >= 1, "there is a reserve for them")
  })

  it("say so as the daemon's own, and when to come back", async () => {
    const refused = await greedy.post(orders, limitOrder())
    assert.equal(refused.status, 429)
    assert.match(refused.json.code, /^(?:10029|ip_budget_exhausted)$/)
    assert.match(refused.json.msg, /^Rate limit exceeded: /)
    assert.equal(refused.headers.get("Countersign-Source"), "daemon")
    assert.equal(refused.headers.get("Countersign-Record"), refused.json["trace_code"])
    const waitMs = Number(refused.json.data["retry_after_ms"])
    assert.ok(waitMs > 0 && waitMs <= 60_500)
    assert.equal(refused.headers.get("Retry-After"), String(Math.ceil(waitMs / 1_000)))
  })

  it("leave another bot its share, and show each what it may still send", async () => {
    const share = await Promise.all(
      Array.from({ length: 40 }, () => modest.post(orders, limitOrder())),
    )
    assert.equal(signed(share), 40)
    const [ip, address] = await budgetsOf(modest)
    assert.deepEqual([ip.scope, ip.own, address.scope, address.own], ["ip", 40, "address", 40])
    assert.ok(ip.left >= 1_080 - 40 - 3 && address.left >= 2_160 - 40 - 3)
    const [ipOfGreedy, addressOfGreedy] = await budgetsOf(greedy)
    assert.deepEqual([ipOfGreedy.left, addressOfGreedy.left], [0, 0])
  })

  it("let a cancel of either bot through at once", async () => {
    for (const each of [greedy, modest]) {
      const startedMs = performance.now()
      assert.equal((await each.post(cancels, { order_id: "1" })).status, 200)
      // A second is what is promised. A test shares its machine with others, so it takes three.
      assert.ok(performance.now() - startedMs < 3_000)
    }
  })
})

/** The IP's, and that of the address of the client's first key. */
async function budgetsOf(client: Bot): Promise<readonly [BudgetView, BudgetView]> {
  const { data } = (await client.get("/limits")).json
  return data["budgets"] as readonly [BudgetView, BudgetView]
}

function signed(answers: readonly Answer[]): number {
  return answers.filter(({ status }) => status === 200).length
}

function told(answer: Answer | undefined) {
  return { status: answer?.status, code: answer?.json.code, scope: answer?.json.data["scope"] }
}
