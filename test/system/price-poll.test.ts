import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  confirmPolled,
  startPolledDaemon,
  tellsBeforeRefusal,
  tradeFor,
} from "../support/polled-daemon.ts"

describe("a price poll with max_age: 10s", { timeout: 300_000 }, () => {
  it("keeps orders going for a minute, and its dead ticker is told before the first refusal", async (t) => {
    const daemon = await startPolledDaemon(t, { every: "2s", maxAge: "10s" })
    await confirmPolled(daemon)
    const prices = await tradeFor(daemon, 60_000)
    assert.ok(prices.size > 15, `${prices.size} prices`)
    await daemon.setTicker("dead")
    const { alarms, lines } = await tellsBeforeRefusal(daemon)
    assert.ok(alarms.has("price_ageing BTC-PERP"))
    assert.match(lines, /^price_ageing: /m)
  })
})
