import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { createFaultBox } from "../../../src/sandbox/fault-box.ts"
import {
  faultKinds,
  parseFault,
  parseFaultText,
  type VenueFault,
} from "../../../src/sandbox/venue-fault.ts"
import type { Fields } from "./signed-bodies.ts"

describe("a fault", () => {
  for (const kind of Object.keys(faultKinds)) {
    it(`can be ${kind}, for all requests below /v1/ until it is taken away`, () => {
      const { times, chance, path } = parsed({ kind })
      assert.deepEqual({ times, chance, path }, { times: undefined, chance: 1, path: "/v1/" })
    })
  }

  it("reads the same from a line as from JSON", () => {
    const line = "error_before,times=3,chance=0.5,path=/v1/trade/orders,ms=0,status=504"
    const text = parseFaultText(line)
    const rest = { times: 3, chance: 0.5, path: "/v1/trade/orders", ms: 0, status: 504 }
    assert.ok(text.ok)
    assert.deepEqual(text.value, parsed({ kind: "error_before", ...rest }))
  })

  const bounds: readonly { readonly good: Fields; readonly bad: Fields }[] = [
    { good: { times: 1 }, bad: { times: 0 } },
    { good: { chance: 1 }, bad: { chance: 1.1 } },
    { good: { chance: 0.001 }, bad: { chance: 0 } },
    { good: { status: 500 }, bad: { status: 499 } },
    { good: { status: 599 }, bad: { status: 600 } },
    { good: { ms: 0 }, bad: { ms: -1 } },
    { good: { ms: 600_000 }, bad: { ms: 600_001 } },
    { good: { path: "/" }, bad: { path: "v1" } },
    { good: { scope: "ip" }, bad: { scope: "all" } },
  ]
  for (const { good, bad } of bounds) {
    it(`takes ${JSON.stringify(good)} and refuses ${JSON.stringify(bad)}`, () => {
      parsed({ kind: "latency", ...good })
      assert.equal(parseFault({ kind: "latency", ...bad }).ok, false)
    })
  }

  it("may put the clock back, and nothing else", () => {
    assert.equal(parsed({ kind: "clock_offset", ms: -5_000 }).ms, -5_000)
    assert.equal(parseFault({ kind: "slow_body", ms: -5_000 }).ok, false)
  })

  for (const wrong of [null, [], "latency", {}, { kind: "rain" }, { kind: "latency", often: 1 }]) {
    it(`isn't ${JSON.stringify(wrong)}`, () => {
      const read = parseFault(wrong)
      assert.ok(!read.ok)
      assert.match(read.error, /^[^\n]+\.$/)
    })
  }
  for (const wrong of ["", "rain", "latency,ms", "latency,ms=", "latency,ms=x", "latency,5"]) {
    it(`isn't the text "${wrong}"`, () => assert.equal(parseFaultText(wrong).ok, false))
  }
})

describe("the faults that wait", () => {
  it("strike as often as asked, and are gone then", () => {
    const box = createFaultBox(1, [parsed({ kind: "latency", times: 2 })])
    assert.equal(box.strike("/v1/a").length, 1)
    assert.equal(box.list()[0]?.times, 1)
    assert.equal(box.strike("/v1/a").length, 1)
    assert.deepEqual([box.strike("/v1/a"), box.list()], [[], []])
  })

  it("strike the paths that they are for", () => {
    const box = createFaultBox(1, [parsed({ kind: "latency", times: 1, path: "/v1/trade/" })])
    assert.deepEqual(box.strike("/v1/account/transfer"), [])
    assert.equal(box.strike("/v1/trade/orders").length, 1)
  })

  it("strike together", () => {
    const box = createFaultBox(1, [parsed({ kind: "latency" }), parsed({ kind: "drop_after" })])
    assert.deepEqual(
      box.strike("/v1/a").map(({ kind }) => kind),
      ["latency", "drop_after"],
    )
    box.clear()
    assert.deepEqual(box.strike("/v1/a"), [])
  })

  it("strike the same requests for the same seed, and others for another", () => {
    const luck = (seed: number) => {
      const box = createFaultBox(seed, [parsed({ kind: "latency", chance: 0.5 })])
      return Array.from({ length: 64 }, () => box.strike("/v1/a").length).join("")
    }
    assert.equal(luck(7), luck(7))
    assert.notEqual(luck(7), luck(8))
    assert.match(luck(7), /01/)
  })

  it("strike about as often as their chance says", () => {
    const box = createFaultBox(3, [parsed({ kind: "latency", chance: 0.25 })])
    const struck = Array.from({ length: 4_000 }, () => box.strike("/v1/a").length)
    const count = struck.reduce((total, each) => total + each, 0)
    assert.ok(count > 900 && count < 1_100, String(count)) // the seed is fixed, so it is always the same
  })
})

function parsed(value: unknown): VenueFault {
  const fault = parseFault(value)
  if (!fault.ok) assert.fail(fault.error)
  return fault.value
}
