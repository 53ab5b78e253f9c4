import assert from "node:assert/strict"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: bounded
rules: [{name: trade, endpoints: [placeOrder]}]
guards: [{name: small, max_position: {BTC-PERP: {net: "1"}}}]
`

describe("an account that a client reads", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let feed: Bot
  let trader: Bot
  before(async () => {
    installation = await makeInstallation()
    const { dir } = installation
    await writePolicy(dir, policy)
    const { wallet } = await makeTradingKeys(dir)
    const account = `account: {accounts: {main: {address: "${wallet.address}"}}, lag: 0ms}\n`
    appendFileSync(join(dir, "venue.yaml"), account)
    const feedToken = await addClient(dir, "feed", ["--keys", "mm", "--right", "account"])
    const traderToken = await addClient(dir, "trader")
    daemon = await serve(dir)
    feed = bot(daemon.url, feedToken)
    trader = bot(daemon.url, traderToken)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const buy = (quantity: string) => trader.post("/sign/v1/trade/orders", limitOrder({ quantity }))
  const begin = (by = feed) => by.post("/account/begin", { account: "main" })

  it("is bounded by what that client hands over", async () => {
    const unread = await buy("0.1")
    assert.deepEqual([unread.status, unread.json.code], [403, "guard_unreadable"])
    const begun = await begin()
    assert.equal(begun.status, 200, begun.text)
    const { ticket } = begun.json.data
    const positions = [{ symbol: "BTC-PERP", quantity: "0.7" }]
    const handed = await feed.post("/account", { ticket, reading: { orders: [], positions } })
    assert.deepEqual([handed.status, handed.json.data], [200, {}], handed.text)
    const tooMuch = await buy("0.4")
    assert.deepEqual([tooMuch.status, tooMuch.json.code], [403, "guard_exceeded"])
    assert.equal((await buy("0.3")).status, 200)
    const again = await feed.post("/account", { ticket, reading: { orders: [], positions } })
    assert.deepEqual([again.status, again.json.code], [400, "invalid_request"])
  })

  it("takes nothing from a client without the right", async () => {
    const { status, json } = await begin(trader)
    assert.deepEqual([status, json.code], [403, "right_missing"])
    assert.deepEqual(json.data, { right: "account" })
  })
})
