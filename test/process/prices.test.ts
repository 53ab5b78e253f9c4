import assert from "node:assert/strict"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { PriceView } from "../../src/contract/bot-views.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  countersignTyped,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"
import { enter } from "../support/typist.ts"

const policy = `policy: capped
rules:
  - {name: cap, endpoints: [placeOrder], max_notional: "10000"}
`

describe("reference prices", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let feedToken: string
  let feed: Bot
  let trader: Bot
  before(async () => {
    installation = await makeInstallation()
    const { dir } = installation
    await writePolicy(dir, policy)
    appendFileSync(join(dir, "countersign.yaml"), "prices: {max_age: 1h, max_step: 5%}\n")
    await makeTradingKeys(dir)
    feedToken = await addClient(dir, "feed", ["--keys", "mm", "--right", "prices"])
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

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const show = () => countersignJson<readonly PriceView[]>(at("prices", "show"))
  const give = (value: string) => feed.post("/prices", { prices: [{ symbol: "BTC-PERP", value }] })

  async function bothSides(): Promise<readonly (readonly [number, string])[]> {
    const sides = [true, false].map(async (isBuy) => {
      const order = limitOrder({ is_buy: isBuy, quantity: "0.1" })
      const { status, json } = await trader.post("/sign/v1/trade/orders", order)
      return [status, status === 200 ? "" : String(json.data["reason"])] as const
    })
    return Promise.all(sides)
  }

  it("are given over HTTP by a client with the right, and by no other", async () => {
    const given = await give("64500")
    assert.equal(given.status, 200, given.text)
    const [price] = given.json.data["prices"] as readonly PriceView[]
    assert.deepEqual(
      [price?.symbol, price?.value, price?.by, price?.state],
      ["BTC-PERP", "64500", "feed", "known"],
    )
    assert.deepEqual((await show())[0], price)

    const refused = await trader.post("/prices", { prices: [{ symbol: "BTC-PERP", value: "1" }] })
    assert.deepEqual([refused.status, refused.json.code], [403, "right_missing"])
    assert.deepEqual(refused.json.data, { right: "prices" })
    assert.equal((await bot(daemon.url, `cs_${"A".repeat(43)}`).post("/prices", {})).status, 401)
    assert.equal((await feed.get("/prices")).status, 405)
  })

  it("are refused with the place of the mistake, all of them", async () => {
    const prices = [
      { symbol: "BTC-PERP", value: "64600" },
      { symbol: "ETH-PERP", value: "0" },
    ]
    const refused = await feed.post("/prices", { prices })
    assert.deepEqual([refused.status, refused.json.code], [400, "invalid_request"])
    const errors = refused.json.data["errors"] as readonly { path: string; rule: string }[]
    assert.deepEqual(
      errors.map(({ path, rule }) => [path, rule]),
      [["/prices/1/value", "price_value"]],
    )
    assert.equal((await show())[0]?.value, "64500")
    assert.equal((await feed.post("/prices", "{")).json.code, "invalid_json")
    const header = { "Countersign-Key": "mm" }
    assert.equal((await feed.post("/prices", { prices }, header)).json.code, "invalid_header")
  })

  it("too far from their anchor stop both sides under a cap, until an operator confirms", async () => {
    assert.deepEqual(await bothSides(), [
      [200, ""],
      [200, ""],
    ])
    const far = await give("90000")
    assert.equal((far.json.data["prices"] as readonly PriceView[])[0]?.state, "unconfirmed")
    const neither = [403, "notional_unknown"]
    assert.deepEqual(await bothSides(), [neither, neither])
    const shown = await countersign(at("prices", "show"))
    assert.match(shown.stdout, /^BTC-PERP +90000 +unconfirmed +90000 +64000 +feed +\d{4}-/m)

    assert.equal((await countersign(at("prices", "confirm"))).code, 2)
    const other = await countersign(at("prices", "confirm", "BTC-PERP=64000"))
    assert.equal(other.code, 2)
    assert.match(other.stderr, /BTC-PERP is 90000 now, not the one to be confirmed/)
    for (const words of [["BTC-PERP"], ["--all"]]) {
      const { code, stderr } = await countersign(at("prices", "confirm", ...words))
      assert.equal(code, 2)
      assert.match(stderr, /countersign prices confirm .*BTC-PERP=90000/)
    }
    assert.deepEqual(await bothSides(), [neither, neither])
    const { stdout, code } = await countersign(at("prices", "confirm", "BTC-PERP=90000"))
    assert.equal(code, 0)
    assert.match(stdout, /^BTC-PERP +90000 +known +- +90000 +operator +\d{4}-/m)
    const none = await countersign(at("prices", "confirm", "--all"))
    assert.deepEqual([none.code, none.stdout], [0, "No price waits.\n"])
    const { stdout: set } = await countersign(at("prices", "set", "BTC-PERP", "70000"))
    assert.match(set, /^BTC-PERP +70000 +known +- +70000 +operator +\d{4}-/m)
    assert.deepEqual(await bothSides(), [
      [200, ""],
      [200, ""],
    ])
  })

  it("are confirmed at the values of the table that was shown, whatever a feed says meanwhile", async () => {
    await give("130000")
    const question = { after: "Are these right: BTC-PERP=130000?", keys: `y${enter}` }
    const agreed = await countersignTyped(at("prices", "confirm", "--all"), [question])
    assert.equal(agreed.code, 0, agreed.stderr)
    assert.match(agreed.stderr, /^BTC-PERP +130000 +unconfirmed +130000 +70000/m)
    await give("0.01")
    const declined = { after: "Are these right: BTC-PERP=0.01?", keys: `n${enter}` }
    assert.equal((await countersignTyped(at("prices", "confirm", "BTC-PERP"), [declined])).code, 1)
    assert.equal((await show())[0]?.state, "unconfirmed")
    await countersign(at("prices", "set", "BTC-PERP", "70000"))
  })

  it("are there again after a restart", async () => {
    await give("71000")
    const before = await show()
    await daemon.stop()
    assert.deepEqual(await show(), before)
    daemon = await serve(installation.dir)
    feed = bot(daemon.url, feedToken)
    assert.deepEqual(await show(), before)
    const far = await give("40000")
    assert.equal((far.json.data["prices"] as readonly PriceView[])[0]?.state, "unconfirmed")
  })

  it("can't be set for an unknown symbol, nor to what is none", async () => {
    const set = async (symbol: string, value: string) =>
      (await countersign(at("prices", "set", symbol, value))).code
    assert.equal(await set("DOGE", "1"), 1)
    assert.equal(await set("BTC-PERP", "0"), 2)
  })

  for (const name of ["operator", "profile"]) {
    it(`have no client named ${name} for a source`, async () => {
      const add = at("clients", "add", name, "--keys", "mm", "--right", "prices", "--json")
      const { code, stdout } = await countersign(add)
      assert.equal(code, 1)
      assert.match(stdout, /"name_taken"/)
    })
  }
})
