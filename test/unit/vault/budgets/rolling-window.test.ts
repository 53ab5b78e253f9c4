import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { rollingWindow, type Weighed } from "../../../../src/vault/budgets/budget.ts"

const one = (client: string, weight = 1, isCertain = true): Weighed => ({
  client,
  weight,
  isCertain,
})

describe("a rolling window", () => {
  it("counts a weight below its length, and no longer", () => {
    const window = rollingWindow(100)
    window.add(one("a", 7), 1_000)
    window.moveTo(1_099)
    assert.deepEqual([window.total(), window.totalOf("a")], [7, 7])
    window.moveTo(1_100)
    assert.deepEqual([window.total(), window.totalOf("a")], [0, 0])
  })

  it("counts each by itself, however close together they came", () => {
    const window = rollingWindow(100)
    window.add(one("a", 1), 1_000)
    window.add(one("b", 2), 1_000)
    window.add(one("a", 4), 1_001)
    window.add(one("a", 8), 1_001)
    assert.deepEqual([window.total(), window.totalOf("a"), window.totalOf("b")], [15, 13, 2])
    const ends = [...window.ends()].map(({ client, weight, untilMs }) => [client, weight, untilMs])
    assert.deepEqual(ends, [
      ["a", 1, 1_100],
      ["b", 2, 1_100],
      ["a", 12, 1_101],
    ])
    window.moveTo(1_100)
    assert.deepEqual([window.total(), window.totalOf("b")], [12, 0])
  })

  it("tells what is certain of it, after a time", () => {
    const window = rollingWindow(100)
    window.add(one("a", 1), 1_000)
    window.add(one("a", 2, false), 1_000)
    window.add(one("a", 4), 1_001)
    assert.deepEqual(
      [999, 1_000, 1_001].map((atMs) => window.certainAfter(atMs)),
      [5, 4, 0],
    )
  })

  it("takes a time that goes back as the latest", () => {
    const window = rollingWindow(100)
    window.add(one("a"), 1_000)
    window.add(one("a", 2), 900)
    window.moveTo(1_099)
    assert.equal(window.total(), 3)
    window.moveTo(1_100)
    assert.equal(window.total(), 0)
  })

  it("adds nothing to what it has forgotten", () => {
    const window = rollingWindow(100)
    window.add(one("a"), 1_000)
    window.moveTo(1_100)
    window.add(one("a"), 1_000)
    assert.equal(window.total(), 1)
  })

  it("stays exact over tens of thousands", () => {
    const window = rollingWindow(5_000)
    for (let atMs = 0; atMs < 30_000; atMs += 1) {
      window.add(one(atMs % 2 === 0 ? "a" : "b"), atMs)
      window.moveTo(atMs)
      assert.equal(window.total(), Math.min(atMs + 1, 5_000))
    }
    assert.equal(window.totalOf("a"), 2_500)
    window.moveTo(40_000)
    assert.deepEqual([window.total(), [...window.ends()]], [0, []])
  })
})
