import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { BudgetView } from "../../src/contract/bot-views.ts"
import { bot, type Bot } from "../support/bot.ts"
import {
  makeInstallation,
  sandbox,
  serve,
  withBudgets,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { askHttp, type HttpReply } from "../support/gate.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

/** 60 of the IP budget are for cancels alone. */
const settings = "budgets: {address: off, cancel_reserve: 5%}\n"
const readPolicy = `policy: readers
reads: [/v1/market/**, /v1/explorer/transactions, /v1/news/today]
`
const symbols = "/v1/market/symbols"
const transactions = "/v1/explorer/transactions"

describe("reads through the daemon", { timeout: 120_000 }, () => {
  let venue: Served
  let installation: TemporaryInstallation
  let daemon: Served
  let client: Bot
  let token: string
  before(async () => {
    venue = await sandbox()
    const options = ["--venue", "sandbox", "--upstream", venue.url, "--backend", "memory"]
    installation = await makeInstallation(options)
    const { dir } = installation
    await withBudgets(dir, settings)
    await writePolicy(dir, tradingPolicy)
    await writePolicy(dir, readPolicy, "readers.yaml")
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    token = await addClient(dir, "bot")
    client = bot(daemon.url, token)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
    await venue.stop()
  })

  /** As text, which needn't be one JSON value. */
  function get(path: string): Promise<HttpReply> {
    const headers = { authorization: `Bearer ${token}` }
    return askHttp(Number(new URL(daemon.url).port), { path, headers })
  }

  async function usedOfIp(): Promise<number | undefined> {
    const budgets = (await client.get("/limits")).json.data["budgets"] as readonly BudgetView[]
    return budgets.find(({ scope }) => scope === "ip")?.used
  }

  it("answer what the venue says, where a policy allows it", async () => {
    const through = await client.get(`${symbols}?limit=2`)
    const directly = await fetch(`${venue.url}${symbols}?limit=2`)
    assert.deepEqual([through.status, through.text], [200, await directly.text()])
    assert.equal(through.headers.get("Countersign-Source"), "venue")
    const strange = await client.get(`${symbols}?limit=many`)
    assert.equal(strange.status, 400)
    assert.equal(strange.headers.get("Countersign-Source"), "venue")
    assert.equal(await usedOfIp(), 4)
  })

  it("are denied elsewhere, with a record, and stopped where no weight is known", async () => {
    const denied = await client.get("/v1/account/balances")
    assert.deepEqual([denied.status, denied.json.code], [403, "policy_denied"])
    assert.equal(denied.json.data["reason"], "read_not_allowed")
    const id = denied.headers.get("Countersign-Record")
    const { data } = (await client.get(`/records/${id}`)).json
    assert.deepEqual([data["state"], data["operation"]], ["refused_here", null])
    const undisclosed = await client.get("/v1/news/today")
    assert.deepEqual([undisclosed.status, undisclosed.json.code], [501, "read_group_undisclosed"])
    assert.match(String(undisclosed.json.data["add_line"]), /^reads: .*"\/v1\/news\/today"/)
    assert.equal(await usedOfIp(), 4)
  })

  it("turn all pages of a list into lines", async () => {
    const items: unknown[] = []
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = cursor === "" ? "limit=1" : `limit=1&cursor=${cursor}`
      const { data } = (await client.get(`${symbols}?${query}`)).json
      items.push(...(data["list"] as readonly unknown[]))
      cursor = data["next_cursor"] as string | null
    }
    assert.ok(items.length > 1)
    const streamed = await get(`${symbols}?limit=1&all=true`)
    assert.equal(streamed.headers["content-type"], "application/x-ndjson")
    assert.equal(streamed.text, items.map((item) => `${JSON.stringify(item)}\n`).join(""))
    assert.equal(await usedOfIp(), 4 + 4 * items.length)
  })

  it("end with the IP budget, of which cancels keep their part", async () => {
    let reads = 0
    let answer = await client.get(transactions)
    for (; answer.status === 200; answer = await client.get(transactions)) reads += 1
    assert.ok(reads <= 28, `${reads} of 40 each are more than 1,140`)
    assert.deepEqual([answer.status, answer.json.code], [429, "ip_budget_exhausted"])
    assert.equal(answer.headers.get("Countersign-Source"), "daemon")
    assert.equal(answer.headers.get("Countersign-Record"), null)
    const waitMs = Number(answer.json.data["retry_after_ms"])
    assert.equal(answer.headers.get("Retry-After"), String(Math.ceil(waitMs / 1_000)))
    const stream = await get(`${transactions}?all=true`)
    assert.deepEqual([stream.status, stream.envelope.code], [429, "ip_budget_exhausted"])
    const cancel = await client.post("/v1/trade/orders/cancel", { order_id: "1" })
    assert.equal(cancel.headers.get("Countersign-Source"), "venue")
    assert.notEqual(cancel.status, 429)
  })
})
