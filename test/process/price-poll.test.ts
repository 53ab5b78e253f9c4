import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout as wait } from "node:timers/promises"

import {
  confirmPolled,
  startPolledDaemon,
  tellsBeforeRefusal,
  tradeFor,
} from "../support/polled-daemon.ts"
import { numRuns } from "../support/runs.ts"

/** Ten minutes in long runs, with the ages that operators have; else as short as it can be told. */
const isLong = numRuns(1).numRuns > 1
const ages = isLong ? { every: "2s", maxAge: "10s" } : { every: "1s", maxAge: "4s" }
const forMs = isLong ? 600_000 : 4_000

describe("prices that the gate polls", { timeout: 900_000 }, () => {
  it("size orders while the ticker moves; dead, it is told before the first refusal, and heals by itself", async (t) => {
    const daemon = await startPolledDaemon(t, ages)
    await confirmPolled(daemon)
    const prices = await tradeFor(daemon, forMs)
    assert.ok(prices.size > 1, `${prices.size} prices`)

    await daemon.setTicker("dead")
    const { alarms, lines, outcome } = await tellsBeforeRefusal(daemon)
    assert.equal(outcome, "notional_unknown")
    assert.ok(alarms.has("price_ageing BTC-PERP"), [...alarms].join())
    assert.match(
      lines,
      /^price_ageing: The reference price of BTC-PERP is half as old as it may be/m,
    )
    const { alarms: now } = await daemon.status()
    assert.ok(now.some(({ name, subject }) => `${name} ${subject}` === "price_stale BTC-PERP"))

    await daemon.setTicker("alive")
    for (let tries = 0; (await daemon.order()) !== "signed"; tries += 1) {
      assert.ok(tries < 100, "it heals")
      await wait(100)
    }
  })
})
