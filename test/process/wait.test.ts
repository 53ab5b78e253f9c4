import assert from "node:assert/strict"
import { connect } from "node:net"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
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
rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]
`
const settings = "budgets: {address: off, cancel_reserve: 0%}\n"
const orders = "/sign/v1/trade/orders"
const reducing = limitOrder({ flags: ["reduce_only"] })
const wait = (ms: number) => ({ "Countersign-Wait": String(ms) })
const hundredOrders = {
  requests: Array.from({ length: 100 }, () => ({ path: "/v1/trade/orders", body: limitOrder() })),
}

/** What reduces risk has a way past a spent IP budget each 1.1 s: what is waited for here. */
describe("waiting for room in the venue's rate budgets", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let token: string
  let client: Bot
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await withBudgets(installation.dir, settings)
    await writePolicy(installation.dir, policy)
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    client = bot(daemon.url, token)
    const greedy = bot(daemon.url, await addClient(installation.dir, "greedy"))
    for (let count = 0; count < 12; count += 1) await greedy.post("/sign/batch", hundredOrders)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const ask = (ms: number) => client.post(orders, reducing, wait(ms))

  it("is refused at once where there is room too late, and shows that nothing is left", async () => {
    const refused = await client.post(orders, limitOrder(), wait(1))
    assert.deepEqual([refused.status, refused.json.code], [429, "ip_budget_exhausted"])
    assert.equal(refused.headers.get("RateLimit-Policy"), '"ip";q=1200;w=60')
    assert.match(refused.headers.get("RateLimit") ?? "", /^"ip";r=0;t=\d+$/)
  })

  it("has all of those signed in the end that wait for long enough, and gives the others up", async () => {
    const [patient, hasty] = await Promise.all([
      Promise.all([ask(30_000), ask(30_000), ask(30_000)]),
      Promise.all([ask(1), ask(1), ask(1)]),
    ])
    assert.deepEqual(patient.map(statusOf), [200, 200, 200])
    assert.ok(hasty.map(statusOf).filter((status) => status === 429).length >= 2)
    for (const { status, headers, json } of hasty) {
      if (status === 429) assert.equal(headers.get("Countersign-Record"), json["trace_code"])
    }
  })

  it("neither signs nor records the request of a bot that hangs up", async () => {
    const ahead = [ask(30_000), ask(30_000)]
    await hangUp(limitOrder({ flags: ["reduce_only"], client_order_id: "gone" }))
    const behind = [ask(30_000), ask(30_000)]
    assert.deepEqual((await Promise.all([...ahead, ...behind])).map(statusOf), [200, 200, 200, 200])
    const found = await client.get("/records?client_order_id=gone")
    assert.deepEqual(found.json.data, { records: [] })
  })

  it("keeps no daemon from stopping", async () => {
    const asked = [ask(30_000), ask(30_000), ask(30_000)].map((answer) =>
      answer.then(statusOf, () => "cut off"),
    )
    await Promise.any(asked) // the others wait by now, or soon will
    assert.equal(await daemon.stop(), 0)
    for (const end of await Promise.all(asked)) assert.ok([200, 429, 503, "cut off"].includes(end))
  })

  /** Sends a call that may wait, and no more: it is whole when the connection's end comes. */
  async function hangUp(body: unknown): Promise<void> {
    const { hostname, port } = new URL(daemon.url)
    const text = JSON.stringify(body)
    const lines = [
      `POST ${orders} HTTP/1.1`,
      `Host: ${hostname}:${port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${text.length}`,
      "Countersign-Wait: 30000",
    ]
    const socket = connect(Number(port), hostname)
    socket.on("error", () => undefined)
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.end(`${lines.join("\r\n")}\r\n\r\n${text}`)
    socket.resume()
    await closed
  }
})

function statusOf({ status }: Answer): number {
  return status
}
