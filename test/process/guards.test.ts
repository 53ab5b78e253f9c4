// A guard on exposure as bots meet it, with real processes and the sandbox's market.

import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import { countersign } from "../support/countersign.ts"
import { clearFaults, startGuardedSite, type GuardedSite } from "../support/guarded-site.ts"
import { childRunning, until } from "../support/process-tree.ts"

const orders = "/v1/trade/orders"
/** What a reading covers soon. */
const briefly = { "Countersign-Expires-In": "1000" }

type Changes = Readonly<Record<string, unknown>>

/** Buys at a price that isn't met soon. */
const buy = (quantity: string, changes: Changes = {}) =>
  limitOrder({ price: "50000", quantity, ...changes })

const market = (isBuy: boolean, quantity: string, changes: Changes = {}) => ({
  ...{ symbol_id: 1, is_buy: isBuy, order_type: "market", quantity },
  ...changes,
})

describe("a daemon whose policy guards an account", { timeout: 120_000 }, () => {
  let site: GuardedSite
  let one: Bot
  let two: Bot
  before(async () => {
    site = await startGuardedSite({
      ...{ market: ["--market", "calm", "--seed", "11"], lag: "200ms", expiresIn: "15s" },
      guard: 'max_position: {BTC-PERP: {net: "1"}}, max_open_orders: 20',
      faults: [{ kind: "error_before", path: orders.replace("orders", "open-orders") }],
    })
    ;[one, two] = site.tokens.map((token) => bot(site.daemon.url, token)) as [Bot, Bot]
  })
  after(() => site.remove())

  /** Why `quantity` more wouldn't be bought, as `/check` says it; `signed` where it would. */
  async function asChecked(quantity: string): Promise<string> {
    const { status, json, text } = await one.post(`/check${orders}`, buy(quantity), briefly)
    assert.equal(status, 200, text)
    const { would_sign: isSigned, refusal } = json.data as unknown as {
      readonly would_sign: boolean
      readonly refusal: { readonly message: string } | null
    }
    return isSigned ? "signed" : String(refusal?.message)
  }

  /** Waits until a reading covers all, so that so much can be bought. */
  async function untilRoomFor(quantity: string): Promise<void> {
    const look = async () => ((await asChecked(quantity)) === "signed" ? true : undefined)
    await until(look, `there is room for ${quantity}`)
  }

  async function held(): Promise<string | undefined> {
    const path = `/v1/account/positions?account_address=${site.account}`
    const { data } = (await (await fetch(site.venue.url + path)).json()) as {
      readonly data: { readonly list: readonly { readonly quantity: string }[] }
    }
    return data.list[0]?.quantity
  }

  it("opens nothing until the account was read, says why, and lets get out", async () => {
    for (const path of [`/sign${orders}`, orders]) {
      const answer = await two.post(path, buy("0.1"), briefly)
      assertRefused(answer, "guard_unreadable", /the account hasn't been read since the daemon/)
      assert.equal(answer.json.data["why"], "no_reading")
    }
    assert.match(await asChecked("0.1"), /the account hasn't been read since/)
    const close = market(false, "0.1", { flags: ["reduce_only"] })
    assert.equal((await two.post(`/sign${orders}`, close)).status, 200)
    assert.equal((await two.post(`/sign${orders}/cancel`, { order_id: "1" })).status, 200)
    await clearFaults(site.venue)
    await untilRoomFor("1")
  })

  it("comes to its bound and no further, whoever asks, and says the same of a check", async () => {
    const bought = await one.post(orders, market(true, "0.6"), briefly)
    assert.equal(bought.headers.get("Countersign-Source"), "venue", bought.text)
    assert.equal(await held(), "0.6")
    const beyond = /max_position net BTC-PERP of main would come to 1\.\d+, and 1 is allowed/
    assertRefused(await two.post(orders, buy("0.5"), briefly), "guard_exceeded", beyond)
    assert.equal(await asChecked("0.4"), "signed")
    const signed = await two.post(`/sign${orders}`, buy("0.4"), briefly)
    assert.equal(signed.status, 200, signed.text)
    for (const path of [`/sign${orders}`, orders]) {
      assertRefused(await one.post(path, buy("0.001"), briefly), "guard_exceeded", beyond)
    }
    assert.match(await asChecked("0.001"), beyond)
  })

  it("signs at its bound what cancels and what only reduces", async () => {
    const cancel = await two.post(`${orders}/cancel`, { order_id: "1" })
    assert.equal(cancel.headers.get("Countersign-Source"), "venue", cancel.text)
    const close = market(false, "2", { flags: ["reduce_only"] })
    const closed = await two.post(orders, close, briefly)
    assert.equal(closed.status, 200, closed.text)
    assert.equal(await held(), undefined)
    assert.match(await asChecked("0.001"), /is allowed/, "that it closed is the venue's word alone")
  })

  it("has room again once a reading covers what was signed", async () => {
    await untilRoomFor("1")
    assert.match(await asChecked("1.001"), /would come to 1\.001, and 1 is allowed/)
  })

  it("signs no exit of what surely isn't there, and one that follows its entry", async () => {
    const close = market(false, "0.1", { flags: ["reduce_only"] })
    const nothing =
      /Reduce-only, but main holds at most 0 long in BTC-PERP, by a reading of \d s ago/
    for (const path of [`/sign${orders}`, orders]) {
      assertRefused(await two.post(path, close, briefly), "nothing_to_reduce", nothing)
    }
    const { json } = await two.post(`/check${orders}`, close, briefly)
    const { code } = json.data["refusal"] as { readonly code: string }
    assert.equal(code, "nothing_to_reduce")
    assert.equal((await one.post(orders, market(true, "0.1"), briefly)).status, 200)
    const closed = await two.post(orders, close, briefly)
    assert.equal(closed.headers.get("Countersign-Source"), "venue", closed.text)
    assert.equal(await held(), undefined)
    await untilRoomFor("1")
  })

  it("still counts what is in flight when its vault was killed, and is read again by itself", async () => {
    const signed = await one.post(`/sign${orders}`, buy("1"))
    assert.equal(signed.status, 200, signed.text)
    const { pid } = await childRunning(site.daemon.pid, "vault/main")
    process.kill(pid, "SIGKILL")
    const refusal = await until(async () => {
      const answer = await two.post(`/sign${orders}`, buy("0.001"))
      assert.notEqual(answer.status, 200)
      return answer.json.code === "guard_exceeded" ? answer.json : undefined
    }, "the account is read again")
    const { measured, in_flight: inFlight, worst } = refusal.data
    assert.deepEqual([measured, inFlight, worst], ["0", "1", "1.001"])
  })

  it("keeps to its account until it is started again", async () => {
    const file = join(site.dir, "venue.yaml")
    const text = await readFile(file, "utf8")
    await writeFile(file, text.replace("lag: 200ms", "lag: 100ms"))
    const { code, stderr } = await countersign(["policy", "reload", "--dir", site.dir])
    assert.notEqual(code, 0)
    assert.match(stderr, /account can't change while the daemon runs; restart it, or put the old/)
    await writeFile(file, text)
    assert.equal((await countersign(["policy", "reload", "--dir", site.dir])).code, 0)
  })
})

function assertRefused({ status, json, text }: Answer, code: string, says: RegExp): void {
  assert.deepEqual([status, json.code], [403, code], text)
  assert.match(json.msg, says)
}
