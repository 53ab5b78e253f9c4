import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openReserve, type Reserve } from "../../../../src/vault/budgets/budget.ts"

/** A client asks, and takes it or waits. */
function ask(reserve: Reserve, client: string, nowMs: number): boolean {
  const isFree = reserve.freeAtMs(client, nowMs) <= nowMs
  if (isFree) reserve.take(client, nowMs)
  else reserve.refuse(client, nowMs)
  return isFree
}

/** One that had it at 0, and clients that were refused it 10 ms later, the one after the other. */
function taken(...waiting: readonly string[]): Reserve {
  const reserve = openReserve()
  assert.ok(ask(reserve, "greedy", 0))
  for (const client of waiting) assert.ok(!ask(reserve, client, 10))
  return reserve
}

describe("a reserve", () => {
  it("is there once in 1,100 ms, and not a millisecond sooner", () => {
    const reserve = taken()
    assert.equal(reserve.freeAtMs("greedy", 1), 1_100)
    assert.ok(!ask(reserve, "greedy", 1_099))
    assert.ok(ask(reserve, "greedy", 1_100))
  })

  it("is there for a client that is new, and one that had it, alike where nobody waits", () => {
    const reserve = taken()
    assert.equal(reserve.freeAtMs("greedy", 1_100), 1_100)
    assert.equal(reserve.freeAtMs("modest", 1_100), 1_100)
  })

  it("is left for 1,100 ms to one that was refused it, and no longer", () => {
    assert.ok(!ask(taken("modest"), "greedy", 2_199))
    assert.ok(ask(taken("modest"), "greedy", 2_200))
    assert.ok(ask(taken("modest"), "modest", 1_100))
  })

  it("isn't left to one that has had its turn", () => {
    const reserve = taken("modest")
    assert.ok(ask(reserve, "modest", 1_500))
    assert.equal(reserve.freeAtMs("greedy", 1_500), 2_600)
    assert.ok(ask(reserve, "greedy", 2_600))
    assert.equal(reserve.freeAtMs("greedy", 2_600), 3_700, "it has asked for no second one")
  })

  it("goes round among those that wait, who had it longest ago first", () => {
    const reserve = taken("first", "second")
    assert.ok(ask(reserve, "second", 1_100))
    assert.ok(!ask(reserve, "second", 1_101))
    assert.ok(!ask(reserve, "greedy", 1_101))
    const freeFor = (client: string) => reserve.freeAtMs(client, 1_101)
    assert.deepEqual(
      [freeFor("first"), freeFor("greedy"), freeFor("second")],
      [2_200, 3_300, 4_400],
    )
  })

  it("is had in any order by those that never had it", () => {
    assert.ok(ask(taken("first", "second"), "second", 1_100))
    assert.ok(ask(taken("first", "second"), "first", 1_100))
    assert.ok(ask(taken("first", "second"), "third", 1_100))
  })

  it("is left to one that was refused it within 10 s, and asked no more", () => {
    const reserve = taken("gone")
    assert.ok(ask(reserve, "greedy", 8_000))
    assert.equal(reserve.freeAtMs("greedy", 10_009), 10_200)
    assert.equal(reserve.freeAtMs("greedy", 10_010), 9_100)
  })

  it("is left for longer to one that asks again", () => {
    const reserve = taken("slow")
    assert.ok(ask(reserve, "greedy", 9_000))
    assert.ok(!ask(reserve, "slow", 9_500))
    assert.equal(reserve.freeAtMs("greedy", 19_499), 11_200)
    assert.equal(reserve.freeAtMs("greedy", 19_500), 10_100)
  })
})
