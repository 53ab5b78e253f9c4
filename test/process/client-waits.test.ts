import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { createClient, type Client } from "../../src/client/create-client.ts"
import { type Failure } from "../../src/client/answer.ts"
import { bot, limitOrder } from "../support/bot.ts"
import {
  makeInstallation,
  serve,
  withBudgets,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: all
rules: [{name: all, endpoints: [placeOrder]}]
`
const settings = "budgets: {address: off, cancel_reserve: 0%}\n"
const orders = "/v1/trade/orders"
const order = { symbol_id: 1, is_buy: true, order_type: "limit", price: "63000" } as const
const reducing = { ...order, quantity: "0.1", flags: ["reduce_only"] as const }
const hundredOrders = {
  requests: Array.from({ length: 100 }, () => ({ path: orders, body: limitOrder() })),
}

/** What reduces risk has a way past a spent IP budget each 1.1 s: what is waited for here. */
describe("the client of a daemon whose IP budget is spent", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let token: string
  let client: Client
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await withBudgets(installation.dir, settings)
    await writePolicy(installation.dir, policy)
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    client = createClient({ url: daemon.url, token })
    const greedy = bot(daemon.url, await addClient(installation.dir, "greedy"))
    // A signer's pace holds some of them up: until the budget is what does.
    for (let text = ""; !text.includes("ip_budget_exhausted");)
      text = JSON.stringify((await greedy.post("/sign/batch", hundredOrders)).json)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("is refused at once, and told that nothing is left", async () => {
    const refused = await bot(daemon.url, token).post(`/sign${orders}`, limitOrder())
    assert.deepEqual([refused.status, refused.json.code], [429, "ip_budget_exhausted"])
    assert.equal(refused.headers.get("RateLimit-Policy"), '"ip";q=1200;w=60')
    assert.match(refused.headers.get("RateLimit") ?? "", /^"ip";r=0;t=\d+$/)
  })

  it("gets each signature in the end that it waits for, and the 429 where it waits for none", async () => {
    const repeats: Failure[] = []
    const by = { waitMs: 60_000, onRepeat: (each: Failure) => repeats.push(each) }
    const patient = await Promise.all(
      Array.from({ length: 3 }, () => client.sign(orders, reducing, by)),
    )
    assert.deepEqual(
      patient.map(({ ok }) => ok),
      [true, true, true],
    )
    assert.ok(repeats.length >= 2)
    assert.ok(repeats.every(({ code }) => code === "ip_budget_exhausted"))
    const hasty = await Promise.all(Array.from({ length: 3 }, () => client.sign(orders, reducing)))
    assert.ok(hasty.filter(({ status }) => status === 429).length >= 2)
  })
})
