import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { timeRoutes } from "../../../../src/gate/metrics/route-times.ts"

const success = { kind: "success", content: {} } as const

/** How many calls are counted of one route each. */
function countOf(method: "GET" | "POST", path: string): number {
  const times = timeRoutes()
  times.answered({ method, path }, success, performance.now())
  return total(times.signingTimes().counts)
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0)
}

describe("the times that signing takes", () => {
  it("are of the routes that sign, and of no other", () => {
    for (const path of ["/v1/*path", "/sign/v1/*path", "/sign/batch"]) {
      assert.equal(countOf("POST", path), 1, path)
    }
    for (const path of ["/check/v1/*path", "/freeze", "/prices", "/console/freeze"]) {
      assert.equal(countOf("POST", path), 0, path)
    }
    for (const path of ["/v1/*path", "/whoami", "/console/events"]) {
      assert.equal(countOf("GET", path), 0, path)
    }
  })

  it("are counted together, by bounds of which the last is open", () => {
    const times = timeRoutes()
    const now = performance.now()
    const answered = (path: string, seconds: number): void =>
      times.answered({ method: "POST", path }, success, now - seconds * 1_000)
    answered("/v1/*path", 3_600)
    answered("/sign/v1/*path", 3_600)
    answered("/sign/batch", 20)
    const { bounds, counts } = times.signingTimes()
    assert.equal(counts.length, bounds.length + 1)
    assert.deepEqual([bounds.at(-1), counts.at(-1), counts.at(-2)], [30, 2, 1])
    assert.equal(total(counts), 3)
  })

  it("are none before the first call", () => {
    assert.equal(total(timeRoutes().signingTimes().counts), 0)
  })
})
