import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  hasSeveral,
  inBoth,
  inEither,
  isEmpty,
  placesIn,
  ruleSet,
  withoutUnfit,
} from "../../../../src/vault/policy/rule-set.ts"

const count = 95
/** Both sides of where one word of bits ends and the next begins. */
const edges = [0, 1, 28, 29, 30, 31, 32, 59, 60, 89, 90, 94]
const all = ruleSet(count, Array(count).keys())

describe("a set of rules", () => {
  it("holds the places that it was made of, in their order", () => {
    assert.deepEqual(placesIn(ruleSet(count, edges.toReversed())), edges)
    assert.deepEqual(placesIn(all), [...Array(count).keys()])
    assert.deepEqual(placesIn(ruleSet(0, [])), [])
  })

  it("has in common with another what is in both, and joins what is in either", () => {
    for (const edge of edges) {
      const one = ruleSet(count, [edge])
      const others = ruleSet(
        count,
        edges.filter((place) => place !== edge),
      )
      assert.deepEqual(placesIn(inBoth(one, all)), [edge])
      assert.ok(isEmpty(inBoth(one, others)))
      assert.deepEqual(placesIn(inEither(one, others)), edges)
    }
  })

  it("tells none, one and several apart", () => {
    assert.ok(isEmpty(ruleSet(count, [])))
    assert.ok(!hasSeveral(ruleSet(count, [])))
    for (const edge of edges) {
      assert.ok(!isEmpty(ruleSet(count, [edge])))
      assert.ok(!hasSeveral(ruleSet(count, [edge])))
      assert.ok(hasSeveral(ruleSet(count, [edge, 50])))
      assert.ok(hasSeveral(ruleSet(count, [edge, (edge + 1) % count])))
    }
  })

  it("loses those that are asked and don't fit, and asks no others", () => {
    const asked: number[] = []
    const left = withoutUnfit(
      ruleSet(count, edges),
      ruleSet(count, [0, 29, 30, 31, 50, 94]),
      (place) => {
        asked.push(place)
        return place === 31
      },
    )
    assert.deepEqual(asked, [0, 29, 30, 31, 94])
    assert.deepEqual(placesIn(left), [1, 28, 31, 32, 59, 60, 89, 90])
  })
})
