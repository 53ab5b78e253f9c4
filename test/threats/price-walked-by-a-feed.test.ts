import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { pathsOf } from "../../src/vault/config/installation.ts"
import { limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"
import { readLedger } from "../support/read-ledger.ts"
import { setClock } from "../support/set-clock.ts"

const venue = `extends: builtin
domain: {name: Service, version: "1", chain_id: 842569901}
type_b: {service_chain: Sandbox, signature_chain_ids: [842569901]}
symbols:
  - {id: 1, name: BTC-PERP, market: perp, quote: USD}
`
const capped = `policy: capped
rules: [{name: cap, endpoints: [placeOrder], max_notional: "1000", price_band: 5%}]
`

async function opened(t: TestContext) {
  const clock = setClock(t)
  const test = await openTestVault({ venue, policies: [capped] })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "feed", keys: ["mm"], rights: ["prices"] })
  const feed = async (value: string) => {
    const body = JSON.stringify({ prices: [{ symbol: "BTC-PERP", value }] })
    const answer = await test.bots.prices({ token, body: Buffer.from(body).toString("base64") })
    assert.ok(answer.kind === "answer")
    const [price] = answer.prices
    assert.ok(price)
    return price
  }
  return {
    clock,
    test,
    token,
    feed,
    set: (value: string) => test.admin.setPrice({ symbol: "BTC-PERP", value }),
  }
}

async function rowsOf({ test }: Awaited<ReturnType<typeof opened>>): Promise<number> {
  await test.close()
  const rows = readLedger(pathsOf(test.installation).ledgerFile)
  return rows.filter(({ row }) => row["act"] === "price_set").length
}

const btc = (value: string) => ({ symbol: "BTC-PERP", value })

describe("a feed that lies step by step", () => {
  it("gets hardly further than one step in a moment", async (t) => {
    const { test, token, feed, set } = await opened(t)
    await set("64000")
    let value = 64_000
    for (let call = 0; call < 228; call++) {
      value /= 1.049
      const price = await feed(value.toFixed(4))
      const isKnown = price.state === "known"
      assert.ok(!isKnown || Number(price.value) > 64_000 / 1.06, `call ${call}: ${price.value}`)
    }
    const [price] = await test.admin.listPrices()
    assert.equal(price?.state, "unconfirmed")
    const huge = limitOrder({ quantity: "900", price: "1", is_buy: false })
    assert.equal(outcomeOf(await test.sign(token, huge)), "policy_denied")
  })

  it("waits for a person beyond 40 % of the anchor, whatever it is told after that", async (t) => {
    const { clock, feed, set, test } = await opened(t)
    await set("64000")
    for (let minute = 0; minute < 10; minute++) clock.step(6_000)
    assert.equal((await feed("45714.28")).state, "unconfirmed")
    assert.equal((await feed("64000")).state, "unconfirmed")
    assert.deepEqual(
      (await test.admin.confirmPrices({ prices: [btc("64000")] })).map(({ state, value }) => [
        state,
        value,
      ]),
      [["known", "64000"]],
    )
  })

  it("has no first price of its own: that waits for a person too", async (t) => {
    const { feed, test } = await opened(t)
    const first = await feed("64000")
    assert.deepEqual([first.state, first.pending, first.anchor], ["unconfirmed", "64000", null])
    const [confirmed] = await test.admin.confirmPrices({ prices: [btc("64000")] })
    assert.deepEqual(
      [confirmed?.state, confirmed?.value, confirmed?.anchor],
      ["known", "64000", "64000"],
    )
    assert.equal((await feed("64100")).state, "known")
    const unknown = test.admin.confirmPrices({ prices: [{ symbol: "ETH", value: "1" }] })
    await assert.rejects(unknown, { code: "name_unknown" })
  })

  it("is confirmed at the value that was shown, and at no other that came meanwhile", async (t) => {
    const { feed, test } = await opened(t)
    await feed("64000")
    await feed("0.01")
    const confirm = (...values: readonly string[]) =>
      test.admin.confirmPrices({ prices: values.map(btc) })
    for (const values of [["64000"], ["0.01", "64000"], ["0.0100001"], ["", "0.01"], ["x"]]) {
      await assert.rejects(confirm(...values), {
        code: "usage",
        message:
          "The price of BTC-PERP is 0.01 now, not the one to be confirmed; nothing was. Look at countersign prices show again.",
      })
      const [price] = await test.admin.listPrices()
      assert.deepEqual([price?.state, price?.pending], ["unconfirmed", "0.01"], values.join())
    }
    await feed("64000.0")
    assert.equal((await confirm("64000"))[0]?.state, "known")
    await assert.rejects(confirm("0.01"), { code: "usage" })
    assert.equal((await confirm("64000.00"))[0]?.anchor, "64000")
  })

  it("has what moved too fast held back, by which bounds must hold as well", async (t) => {
    const { test, token, feed, set } = await opened(t)
    await set("100")
    const held = await feed("120")
    assert.deepEqual(
      [held.state, held.value, held.pending, held.anchor],
      ["known", "100", "120", "100"],
    )
    const sell = (price: string, quantity: string) =>
      test.sign(token, limitOrder({ is_buy: false, price, quantity })).then(outcomeOf)
    assert.equal(await sell("104", "1"), "policy_denied", "outside of the band around 120")
    assert.equal(await sell("115", "1"), "policy_denied", "outside of the band around 100")
    assert.equal((await feed("101")).pending, null)
    assert.equal(await sell("104", "9.6"), "signed")
    assert.equal(await sell("104", "9.7"), "policy_denied")
  })

  it("writes no row for a price that it says again, and one a second for what is held back", async (t) => {
    const opening = await opened(t)
    const { clock, feed, set } = opening
    await set("100")
    for (let call = 0; call < 5; call++) await feed("100.5")
    clock.step(4_000)
    const again = await feed("100.5")
    assert.ok(Number(again.as_of) > Date.now() - 2_000, "it is fresh")
    for (let call = 0; call < 5; call++)
      assert.equal((await feed(`${120 + call}`)).pending, `${120 + call}`)
    assert.equal(await rowsOf(opening), 4, "set, fed, held back, and the newest before the stop")
  })
})
