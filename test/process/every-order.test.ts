import assert from "node:assert/strict"
import { after, before, describe, it, type TestContext } from "node:test"

import type { RecordView } from "../../src/contract/bot-views.ts"
import { readPaths } from "../../src/sandbox/reads.ts"
import { sandboxChainId, sandboxServiceChain } from "../../src/sandbox/state/market.ts"
import { bot, type Bot } from "../support/bot.ts"
import {
  makeInstallation,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming, until } from "../support/process-tree.ts"
import {
  addClient,
  makeTradingKeys,
  writePolicy,
  type TradingKeys,
} from "../support/trading-keys.ts"

type Fields = Readonly<Record<string, unknown>>

type Write = {
  readonly name: string
  readonly operation: keyof typeof paths
  readonly body: Fields
  /** Signs with `mm`, the agent, unless another is named. */
  readonly key?: string
}

type Order = {
  readonly order_id: string
  readonly client_order_id: string
  readonly state: string
}

const paths = {
  approveAgent: "/v1/account/approve-agent",
  placeOrder: "/v1/trade/orders",
  placeBatch: "/v1/trade/orders/batch",
  modifyOrder: "/v1/trade/orders/modify",
  cancelOrder: "/v1/trade/orders/cancel",
  cancelAll: "/v1/trade/orders/cancel-all",
} as const

const policy = `policy: every-order
rules:
  - name: orders
    endpoints: [placeOrder, placeBatch, modifyOrder]
    symbols: [BTC-PERP]
    max_quantity: "0.5"
  - name: get-out
    endpoints: [cancelOrder, cancelAll]
  - name: own-agents
    endpoints: [approveAgent]
    agent_addresses: held
`

const plain = { symbol_id: 1, is_buy: true, quantity: "0.01" }
const limit = { ...plain, order_type: "limit", price: "63000" }
const conditional = { trigger_price: "65000", trigger_by: "mark_price" }
const tpsl = {
  ...{ tpsl_mode: "partial", tp_trigger_price: "66000", tp_trigger_by: "mark_price" },
  ...{ tp_order_type: "limit", tp_order_price: "65900" },
  ...{ sl_trigger_price: "60000", sl_trigger_by: "last_price", sl_order_type: "market" },
}

/** An order of every kind, by its `client_order_id`. */
const kinds: Readonly<Record<string, Fields>> = {
  limit,
  market: { ...plain, order_type: "market", slippage: "0.01" },
  conditional: { ...limit, algo_order_type: "conditional", conditional },
  tpsl: { ...plain, algo_order_type: "tpsl", tpsl },
  attached_tpsl: { ...limit, algo_order_type: "attached_tpsl", tpsl },
  post_only: { ...limit, flags: ["post_only"] },
  price_match: { ...plain, order_type: "limit", price_match: "queue_1" },
}
/** The sandbox fills market orders at once; all others stay open. */
const resting = Object.keys(kinds).filter((name) => name !== "market")
const batched = Array.from({ length: 20 }, (_, index) => `batch-${index + 1}`)

describe("every order, through a running daemon to the sandbox", { timeout: 180_000 }, () => {
  let venue: Served
  let installation: TemporaryInstallation
  let daemon: Served
  let keys: TradingKeys
  let client: Bot
  before(async () => {
    venue = await sandbox()
    installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
    const { dir } = installation
    await writePolicy(dir, policy)
    daemon = await serve(dir)
    keys = await makeTradingKeys(dir)
    client = bot(daemon.url, await addClient(dir, "bot"))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
    await venue.stop()
  })

  /** What the sandbox lists of the wallet's account. */
  async function listed<Item>(path: string): Promise<readonly Item[]> {
    const response = await fetch(`${venue.url}${path}?account_address=${keys.wallet.address}`)
    assert.equal(response.status, 200)
    return ((await response.json()) as { data: { list: Item[] } }).data.list
  }

  /** The names of the account's open orders, oldest first. */
  const open = async () => (await listed<Order>(readPaths.openOrders)).map(nameOf)

  /** The names of its orders that ended as `state`, in the order of their ends. */
  const ended = async (state: string) =>
    (await listed<Order>(readPaths.orderHistory))
      .filter((order) => order.state === state)
      .map(nameOf)

  /** Posts an unsigned body, holds that venue and record say yes, prints it, and returns the venue's `data`. */
  async function send(t: TestContext, { name, operation, body, key = "mm" }: Write) {
    const answer = await client.post(paths[operation], body, { "Countersign-Key": key })
    assert.deepEqual([answer.status, answer.json.code], [200, "0"], `${name}: ${answer.text}`)
    assert.equal(answer.headers.get("Countersign-Source"), "venue")
    const id = answer.headers.get("Countersign-Record") ?? "none"
    const record = await until(async () => {
      const found = (await client.get(`/records/${id}`)).json.data as unknown as RecordView
      return found.state === "accepted" ? found : undefined
    }, `the record of ${name} is accepted`)
    const { state, operation: recorded, key: signer, outcome } = record
    assert.deepEqual([recorded, signer], [operation, key])
    assert.deepEqual([outcome?.status, outcome?.code], [200, "0"])
    const { length: count } = await open()
    t.diagnostic(`${name}: ${operation} by ${key}, HTTP 200, code 0, ${id} ${state}, ${count} open`)
    return answer.json.data
  }

  it("is taken by the venue and recorded as accepted, as is what changes or ends it", async (t) => {
    const approval = approvalOf(keys)
    await send(t, { name: "approve-agent", operation: "approveAgent", body: approval, key: "main" })
    const agents = await listed<{ agent_address: string; is_revoked: boolean }>(readPaths.agents)
    assert.deepEqual(
      agents.map((agent) => [agent.agent_address, agent.is_revoked]),
      [[keys.agent.address.toLowerCase(), false]],
    )

    for (const [name, order] of Object.entries(kinds)) {
      const body = { ...order, client_order_id: name }
      const placed = await send(t, { name, operation: "placeOrder", body })
      assert.equal(placed["state"], name === "market" ? "filled" : "open")
    }
    assert.deepEqual([await open(), await ended("filled")], [resting, ["market"]])

    const batch = { orders: batched.map((name) => ({ ...limit, client_order_id: name })) }
    await send(t, { name: "batch of 20", operation: "placeBatch", body: batch })
    assert.deepEqual(await open(), [...resting, ...batched])

    const [first] = await listed<Order>(readPaths.openOrders)
    const change = { ...limit, price: "62000", quantity: "0.02" }
    const id = { order_id: first?.order_id }
    await send(t, { name: "modify", operation: "modifyOrder", body: { ...change, ...id } })
    const [modified] = await listed<Order>(readPaths.openOrders)
    assert.deepEqual(modified, { ...first, ...change })

    await send(t, { name: "cancel", operation: "cancelOrder", body: id })
    const left = [...resting.slice(1), ...batched]
    assert.deepEqual([await open(), await ended("cancelled")], [left, ["limit"]])

    await send(t, { name: "cancel-all", operation: "cancelAll", body: {} })
    assert.deepEqual([await open(), await ended("cancelled")], [[], ["limit", ...left]])
  })
})

/** What approves the agent for the wallet that holds it. */
function approvalOf({ wallet, agent }: TradingKeys): Fields {
  return {
    service_chain: sandboxServiceChain,
    signature_chain_id: sandboxChainId,
    agent_address: agent.address,
    authorized_address: wallet.address,
    valid_days: 30,
    label: agent.name,
  }
}

function nameOf(order: Order): string {
  return order.client_order_id
}
