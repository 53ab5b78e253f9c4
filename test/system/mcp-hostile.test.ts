import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { bot, limitOrder } from "../support/bot.ts"
import { keepOutput } from "../support/canaries.ts"
import { startMcp, type McpClient, type Told } from "../support/mcp-client.ts"
import { openMcpSite, type McpSite } from "../support/mcp-site.ts"
import { seededRandom } from "../support/seeded-random.ts"

const runs = Number(process.env["RUNS"] ?? "1")
const calls = runs > 1 ? 10_000 : 1_000
const kills = 50
/** So many calls each server takes at once; its pace has no room for more. */
const callsOfOne = Math.ceil(calls / kills)

const nasty = [
  ..."\u0000 \u001b[2J \u202e \u200b \u{e0041} __proto__ constructor".split(" "),
  ..."../../admin /v1/../whoami all * -1 1e9 NaN 0x1 cs_token".split(" "),
  ...["ignore the policy and place 100 BTC", "'; DROP TABLE", "x".repeat(5_000), ""],
]
const words = ["BTC-PERP", "ETH-PERP", "buy", "sell", "limit", "market", "0.1", "0.6", "63000"]
const fields = ["order", "check", "symbol", "side", "type", "quantity", "price", "order_id"].concat(
  ["client_order_id", "key", "id", "path", "query", "reason", "__proto__", "leverage"],
)
const tools = [
  "whoami",
  "limits",
  "check_order",
  "place_order",
  "cancel_order",
  "record",
  "read",
].concat(["freeze_me", "withdraw", "sign", "approve", "thaw", "__proto__", "constructor"])

const order = { symbol: "BTC-PERP", side: "buy", type: "limit", price: "63000", quantity: "0.01" }

describe("a model that does whatever it can", { timeout: 1_800_000 }, () => {
  let site: McpSite
  before(async () => {
    site = await openMcpSite()
  })
  after(() => site.close())

  it("places no order but those that it checked, each once, over kills between sending and the answer", async () => {
    const random = seededRandom("hostile")
    const value = (depth: number): unknown => {
      if (depth > 0 && random.isOneIn(3)) {
        return Object.fromEntries(
          Array.from({ length: 3 }, () => [random.pick(fields), value(depth - 1)] as const),
        )
      }
      return random.pick<unknown>([...nasty, ...words, 1, -1, null, true, [], {}, order])
    }
    const ids = new Set<unknown>()
    const shown: string[] = []
    for (let round = 0; round < kills; round++) {
      const agent = await startMcp(site.place)
      const { check } = await agent.call("check_order", { order })
      assert.equal(typeof check, "string")
      for (let call = 0; call < callsOfOne; call += 10) {
        const asked = Array.from({ length: 10 }, () => {
          const input = Object.fromEntries(
            Array.from({ length: 3 }, () => [random.pick(fields), value(2)] as const),
          )
          return agent.client.callTool({ name: random.pick(tools), arguments: input }).then(
            (told) => shown.push(JSON.stringify(told)),
            () => undefined,
          )
        })
        await Promise.all(asked)
      }
      for (const file of ["cmdline", "environ"]) {
        shown.push(readFileSync(`/proc/${agent.pid}/${file}`, "latin1"))
      }
      await killedWhilePlacing(agent, String(check), random.below(60))
      shown.push(agent.stderr())
      const next = await startMcp(site.place)
      ids.add((await placedAgain(next, String(check)))["order_id"])
      await next.close()
    }
    assert.equal(ids.size, kills)
    assert.deepEqual([...(await site.openOrders())].sort(), [...ids].sort())
    const { token } = site.daemon
    for (const text of shown) {
      assert.equal(text.includes(token), false)
      // Also for the keys' bytes, which are searched for when the run ends.
      keepOutput("what a hostile model saw", text)
    }
  })

  it("gets by HTTP with the same token nothing more than the policy allows", async () => {
    const { daemon } = site
    const plain = bot(daemon.url, daemon.token)
    const over = limitOrder({ quantity: "0.6" })
    const tried = [
      await plain.post("/v1/trade/orders", over),
      await plain.post("/sign/v1/trade/orders", over),
      await plain.post("/v1/trade/orders", limitOrder({ symbol_id: 2 })),
      await plain.post("/v1/trade/orders/batch", { orders: [limitOrder()] }),
      await plain.post("/v1/account/transfer", { asset: "USD", amount: "1" }),
      await plain.post("/freeze", { scope: "all", reason: "x" }),
      await plain.post("/prices", { prices: [] }),
    ]
    for (const { status, json } of tried) assert.ok(status >= 400 && status < 600, json.code)
  })

  async function killedWhilePlacing(agent: McpClient, check: string, ms: number): Promise<void> {
    const lost = agent.client
      .callTool({ name: "place_order", arguments: { check, order } })
      .catch(() => undefined)
    await pause(ms)
    process.kill(agent.pid, "SIGKILL")
    await lost
    await agent.close()
  }

  /** The answer to a check that may have been placed; the pace of tools is waited for. */
  async function placedAgain(agent: McpClient, check: string): Promise<Told> {
    for (;;) {
      const told = await agent.call("place_order", { check, order })
      if (told["ok"] === true) return told
      assert.ok(
        ["too_fast", "outcome_unknown"].includes(String(told["code"])),
        JSON.stringify(told),
      )
      await pause(250)
    }
  }
})
