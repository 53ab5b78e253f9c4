import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  confirmPolled,
  startPolledDaemon,
  tellsBeforeRefusal,
  tradeFor,
} from "../support/polled-daemon.ts"
import { numRuns } from "../support/runs.ts"

/** One in the usual run, and ten in a long one. */
const minutes = Math.min(10, numRuns(1).numRuns)

describe("a price poll with max_age: 10s", { timeout: 900_000 }, () => {
  it(`keeps orders going for ${minutes} min, and its dead ticker is told before the first refusal`, async (t) => {
    const daemon = await startPolledDaemon(t, { every: "2s", maxAge: "10s" })
    await confirmPolled(daemon)
    const prices = await tradeFor(daemon, minutes * 60_000)
    assert.ok(prices.size > 15 * minutes, `${prices.size} prices`)
    await daemon.setTicker("dead")
    const { alarms, lines } = await tellsBeforeRefusal(daemon)
    assert.ok(alarms.has("price_ageing BTC-PERP"))
    assert.match(lines, /^price_ageing: /m)
  })
})
