import assert from "node:assert/strict"
import { readFile, writeFile } from "node:fs/promises"
import { describe, it } from "node:test"

import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { openLosing } from "../../../support/losing-vault.ts"

const hourMs = 3_600_000
const daily = "daily_loss: {max: 500, zone: UTC}"
const ever = "drawdown: {max: 5%}"
const long = { positions: [{ symbol: "BTC-PERP", quantity: "1" }] }
const small = { price: "50000", quantity: "0.001" }

describe("a reading that trading doesn't explain", () => {
  it("gives no room, however much it says that there is", async (t) => {
    const { read, readTwice, measured } = await openLosing(t, daily)
    await read("10000")
    await readTwice("9600")
    await read("1000000")
    assert.equal(await measured(), "400")
    await read("9600")
    assert.equal(await measured(), "400")
  })

  it("gives none either where what was lost is less than a thousandth", async (t) => {
    const { read, readTwice, measured } = await openLosing(t, daily)
    await read("10000")
    await read("9994")
    await read("20000")
    assert.equal(await measured(), "6")
    await read("20000")
    assert.equal(await measured(), "6", "a deposit")
    await read("19992")
    await readTwice("19999")
    await read("19995", 24 * hourMs)
    assert.equal(await measured(), "4", "since the day before")
  })

  it("doesn't bear out another that is off on the other side", async (t) => {
    const { read, measured } = await openLosing(t, ever)
    await read("10000")
    await read("9500")
    await read("30000")
    assert.equal(await measured(), "500")
    await read("9500")
    await read("9500")
    assert.equal(await measured(), "500")
  })

  it("is no reading in a row with those around it, so no key is frozen by them", async (t) => {
    const { read, readTwice, frozen } = await openLosing(t, `${ever}, then: freeze`)
    await read("10000")
    await readTwice("9510")
    await read("9490")
    await read("1")
    await read("9490")
    assert.deepEqual(frozen(), [])
    await read("9490")
    assert.equal(frozen().length, 1)
  })

  it("is what losses count from where a person anchors by it", async (t) => {
    const { read, measured, test } = await openLosing(t, ever)
    await read("10000")
    await read("20000")
    const anchor = { account: "main", agreed: "20000", reason: "paid in" }
    assert.ok((await test().admin.anchorAccount(anchor)).isAnchored)
    assert.equal(await measured(), "0")
  })
})

describe("a profit", () => {
  /** What is lost when an account of 100,000 has lost 4,000, a price moves, and it is worth so much more. */
  async function lostAfter(t: Parameters<typeof openLosing>[0], price: string, profit: number) {
    const { read, measured, test } = await openLosing(t, "drawdown: {max: 50%}")
    const setPrice = (value: string) => test().admin.setPrice({ symbol: "BTC-PERP", value })
    await setPrice("60000")
    await read("100000", 30_000, long)
    for (let times = 0; times < 2; times += 1) await read("96000", 30_000, long)
    await setPrice("60000")
    await read("96000", 30_000, long)
    await setPrice(price)
    for (let times = 0; times < 2; times += 1) {
      await read(`${96_000 + profit}`, 30_000, long)
    }
    return measured()
  }

  it("is what a price did to a position", async (t) => {
    assert.equal(await lostAfter(t, "62000", 3_000), "1000")
  })

  it("is a little more than that, for the venue has a price of its own", async (t) => {
    assert.equal(await lostAfter(t, "60000", 1_200), "2800")
  })

  it("isn't what a position is worth: that is a deposit", async (t) => {
    assert.equal(await lostAfter(t, "60000", 5_000), "4000")
  })
})

describe("an account that is read otherwise than before", () => {
  it("has lost nobody knows what until a person says from what losses count", async (t) => {
    const { read, readTwice, measured, test, reopen } = await openLosing(t, ever)
    await read("10000")
    await readTwice("9600")
    assert.equal(await measured(), "400")
    const { venueFile } = pathsOf(test().installation)
    const text = await readFile(venueFile, "utf8")
    await writeFile(venueFile, text.replace("value: /data/equity", "value: /data/margin_balance"))
    await reopen()
    await read("9650")
    assert.equal(await measured(), null)
    const anchor = { account: "main", agreed: "9650", reason: "looked" }
    assert.ok((await test().admin.anchorAccount(anchor)).isAnchored)
    assert.equal(await measured(), "0")
  })
})

describe("a guard that was re-armed", () => {
  it("freezes at the second reading that is over what it allows, as before", async (t) => {
    const { read, readTwice, frozen, test } = await openLosing(t, `${ever}, then: freeze`)
    await read("10000")
    await readTwice("9510")
    await read("9490")
    const rearm = { guard: "day", allow: "50", forMs: hourMs, reason: "looked" }
    await test().admin.rearmGuard(rearm)
    await read("9430")
    assert.deepEqual(frozen(), [])
    await read("9430")
    assert.equal(frozen().length, 1)
  })

  it("allows no more once that ends, and trips anew", async (t) => {
    const { read, readTwice, ask, test } = await openLosing(t, ever)
    await read("10000")
    await readTwice("9400")
    const rearm = { guard: "day", allow: "100", forMs: hourMs, reason: "looked" }
    await test().admin.rearmGuard(rearm)
    assert.equal(await ask(small), null)
    await read("9400", hourMs)
    assert.equal((await ask(small))?.code, "guard_tripped")
  })
})

describe("a guard that doesn't freeze", () => {
  it("freezes nothing, however often a reading says that it is over", async (t) => {
    const { read, readTwice, frozen, ask } = await openLosing(t, daily)
    await read("10000")
    for (let times = 0; times < 3; times += 1) await readTwice("9000")
    assert.deepEqual(frozen(), [])
    assert.equal((await ask(small))?.code, "guard_tripped")
  })
})
