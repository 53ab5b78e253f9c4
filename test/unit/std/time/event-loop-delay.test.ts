import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { watchEventLoop } from "../../../../src/std/time/event-loop-delay.ts"
import { until } from "../../../support/process-tree.ts"

describe("the watch over the event loop", () => {
  it("tells nothing before it looked, and of a wait after it", async () => {
    const delay = watchEventLoop()
    assert.deepEqual(delay(), { meanSeconds: 0, p99Seconds: 0, maxSeconds: 0 })
    const seconds = await until(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
      const { maxSeconds } = delay()
      return maxSeconds > 0.05 ? maxSeconds : undefined
    }, "a wait of 100 ms is seen")
    assert.ok(seconds < 60)
    assert.ok(delay().meanSeconds <= delay().maxSeconds)
  })
})
