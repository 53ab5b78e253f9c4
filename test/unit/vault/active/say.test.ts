import assert from "node:assert/strict"
import { setTimeout as after } from "node:timers/promises"
import { describe, it, type TestContext } from "node:test"

import { maxRowBytes, maxRows } from "../../../../src/vault/ledger/row-counts.ts"
import { listPrices } from "../../../../src/vault/status/fed-prices.ts"
import { thawAsShown } from "../../../support/a-word.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"
import { entriesOf } from "../../../support/admin-of.ts"

const symbols = Array.from({ length: 120 }, (_, id) => `S${id}-USD`)
const venue = `extends: builtin
symbols:
${symbols.map((name, id) => `  - {id: ${id + 1}, name: ${name}, market: spot, quote: USD}\n`).join("")}`

/** A vault whose clock a test moves, and a bot that feeds prices and freezes. */
async function open(t: TestContext) {
  const clock = fakeClock()
  const test = await openTestVault({ venue, settings: "prices: {max_age: 60s}\n", clock })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"], rights: ["prices", "freeze"] })
  const body = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64")
  const rows = async (act: string) => {
    const entries = await entriesOf(test)
    return entries
      .map(({ row }) => JSON.parse(row) as Record<string, unknown>)
      .filter((row) => row["act"] === act)
  }
  return {
    ...{ test, clock, rows },
    feed: async (value: string, of: readonly string[] = symbols.slice(0, 1)) => {
      const prices = of.map((symbol) => ({ symbol, value }))
      const fed = await test.bots.prices({ token, body: body({ prices }) })
      assert.equal(fed.kind, "answer")
    },
    freeze: async (reason: string, scope: object = { scope: "all" }) => {
      const frozen = await test.bots.freeze({ token, body: body({ ...scope, reason }) })
      assert.equal(frozen.kind, "answer")
      return frozen
    },
  }
}

describe("a price that a client feeds again and again", () => {
  it("is in force at once, and a row of each symbol once a second", async (t) => {
    const { test, clock, rows, feed } = await open(t)
    await test.admin.setPrice({ symbol: "S0-USD", value: "64000" })
    for (let index = 0; index < 200; index += 1) {
      await feed(`64000.${index + 1}`)
      clock.pass(5)
    }
    const [price] = listPrices(test.vault.active(), test.vault.now())
    assert.equal(price?.value, "64000.2")
    assert.equal((await rows("price_set")).length, 2)
    clock.pass(1_000)
    await feed("64001")
    assert.equal((await rows("price_set")).at(-1)?.["value"], "64001")
  })

  it("has its newest written once a second has passed, also where nothing comes any more", async (t) => {
    const { test, rows, feed } = await open(t)
    await test.admin.setPrice({ symbol: "S0-USD", value: "64000" })
    for (const value of ["64000.1", "64000.2", "64000.3"]) await feed(value)
    const values = async () => (await rows("price_set")).map(({ value }) => value)
    assert.deepEqual(await values(), ["64000", "64000.1"])
    while ((await values()).length < 3) await after(20)
    assert.deepEqual(await values(), ["64000", "64000.1", "64000.3"])
  })

  it("never takes the place of one that a person set meanwhile", async (t) => {
    const { test, rows, feed } = await open(t)
    await test.admin.setPrice({ symbol: "S0-USD", value: "64000" })
    for (const value of ["64000.1", "64000.2"]) await feed(value)
    await test.admin.setPrice({ symbol: "S0-USD", value: "65000" })
    await after(1_200)
    assert.deepEqual((await rows("price_set")).at(-1)?.["value"], "65000")
    const [price] = listPrices(test.vault.active(), test.vault.now())
    assert.deepEqual([price?.value, price?.by], ["65000", "operator"])
  })

  it("is a row at once where it begins to wait for a person", async (t) => {
    const { test, rows, feed } = await open(t)
    await test.admin.setPrice({ symbol: "S0-USD", value: "64000" })
    for (const value of ["64000.1", "1"]) await feed(value)
    const last = (await rows("price_set")).at(-1)
    assert.deepEqual([last?.["value"], last?.["confirmed"]], ["1", false])
  })

  it(`is at most ${maxRows.price_set} rows a second of one client, whatever the number of symbols`, async (t) => {
    const { test, clock, rows, feed } = await open(t)
    const halves = [symbols.slice(0, 60), symbols.slice(60)]
    for (const symbol of symbols) await test.admin.setPrice({ symbol, value: "100" })
    for (const half of halves) await feed("100.1", half)
    const fed = (await rows("price_set")).filter(({ by }) => by === "bot")
    assert.ok(fed.length <= maxRows.price_set, String(fed.length))
    assert.ok(Buffer.byteLength(JSON.stringify(fed)) <= 2 * maxRowBytes)
    clock.pass(2_000)
    for (const half of halves) await feed("100.2", half)
    assert.ok((await rows("price_set")).length <= symbols.length + 2 * maxRows.price_set)
  })
})

describe("a freeze that a client asks for again and again", () => {
  it("is a row at once where it is new, whatever else was frozen, and then once a second", async (t) => {
    const { test, rows, freeze } = await open(t)
    for (let index = 0; index < 50; index += 1) await freeze(`reason ${index}`)
    await freeze("another", { scope: "client", name: "bot" })
    await freeze("a third", { scope: "key", name: "mm" })
    assert.deepEqual(
      (await rows("frozen")).map(({ reason }) => reason),
      ["reason 0", "another", "a third"],
    )
    const [all] = test.vault.active().freezes.filter(({ scope }) => scope === "all")
    assert.equal(all?.reason, "reason 49", "the newest is shown")
  })

  it("is in the ledger before it is answered, also where two come at once", async (t) => {
    const { rows, freeze } = await open(t)
    const both = [freeze("first"), freeze("second")]
    await Promise.race(both)
    assert.equal((await rows("frozen")).length, 1)
    await Promise.all(both)
  })

  it("opens nothing that another freeze stopped", async (t) => {
    const { test, freeze } = await open(t)
    await test.admin.freeze({ scope: "all", name: null, reason: "mine", cancels: false })
    for (const reason of ["a", "b", "c"]) await freeze(reason)
    assert.deepEqual(
      test.vault.active().freezes.map(({ cancels }) => cancels),
      [false],
    )
  })

  it("doesn't come back after a thaw", async (t) => {
    const { test, freeze } = await open(t)
    for (const reason of ["a", "b", "c"]) await freeze(reason)
    await thawAsShown(test, { scope: "all", name: null })
    await after(1_200)
    assert.deepEqual(test.vault.active().freezes, [])
    await freeze("anew")
    assert.equal(test.vault.active().freezes.length, 1)
  })
})
