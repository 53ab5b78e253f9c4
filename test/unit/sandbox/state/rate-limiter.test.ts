import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  createRateLimiter,
  interfaceLimits,
  type Spending,
  type Verdict,
} from "../../../../src/sandbox/state/rate-limiter.ts"
import { numRuns } from "../../../support/runs.ts"

const overAddress: Verdict = { ok: false, scope: "address" }
const overIp: Verdict = { ok: false, scope: "ip" }
const byBudget: Verdict = { ok: true, paidBy: "budget" }
const byReserve: Verdict = { ok: true, paidBy: "reserve" }

function ask(changes: Partial<Spending>): Spending {
  const free = { ip: "1.2.3.4", ipWeight: 0, address: "0xa", addressWeight: 0, isCancel: false }
  return { ...free, nowMs: 0, ...changes }
}

/** A limiter whose address 0xa has spent `addressWeight` and whose IP `ipWeight`, at 0. */
function spent(addressWeight: number, ipWeight = 0) {
  const limiter = createRateLimiter()
  assert.deepEqual(limiter.take(ask({ addressWeight, ipWeight })), byBudget)
  return limiter
}

describe("the address budget", () => {
  it("takes the 2,400th weight and refuses the 2,401st", () => {
    const limiter = spent(2_399)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1 })), byBudget)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1 })), overAddress)
  })

  it("refuses a weight of which a part alone has room, and counts nothing of it", () => {
    const limiter = spent(2_361)
    assert.deepEqual(limiter.take(ask({ addressWeight: 40 })), overAddress)
    assert.deepEqual(limiter.take(ask({ addressWeight: 39 })), byBudget)
  })

  it("counts what is 59,999 ms old, and forgets it a millisecond later", () => {
    const limiter = spent(2_400)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1, nowMs: 59_999 })), overAddress)
    assert.deepEqual(limiter.take(ask({ addressWeight: 2_400, nowMs: 60_000 })), byBudget)
  })

  it("is another for each address", () => {
    const limiter = spent(2_400)
    assert.deepEqual(limiter.take(ask({ address: "0xb", addressWeight: 2_400 })), byBudget)
  })

  it("isn't asked for a read", () => {
    assert.deepEqual(spent(2_400).take(ask({ address: undefined, ipWeight: 2 })), byBudget)
  })
})

describe("the IP budget", () => {
  it("takes the 1,200th weight and refuses the 1,201st", () => {
    const limiter = spent(0, 1_199)
    assert.deepEqual(limiter.take(ask({ ipWeight: 1 })), byBudget)
    assert.deepEqual(limiter.take(ask({ ipWeight: 1 })), overIp)
  })

  it("forgets what is 60 seconds old", () => {
    const limiter = spent(0, 1_200)
    assert.deepEqual(limiter.take(ask({ ipWeight: 1, nowMs: 59_999 })), overIp)
    assert.deepEqual(limiter.take(ask({ ipWeight: 1, nowMs: 60_000 })), byBudget)
  })

  it("is another for each IP", () => {
    assert.deepEqual(spent(0, 1_200).take(ask({ ip: "1.2.3.5", ipWeight: 1 })), byBudget)
  })

  it("is asked first, and a request that it refuses weighs nothing for the address", () => {
    const limiter = spent(2_399, 1_200)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1, ipWeight: 1 })), overIp)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1 })), byBudget)
  })
})

describe("the cancel reserve", () => {
  it("isn't touched while the budget has room", () => {
    const limiter = spent(2_399)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1, isCancel: true })), byBudget)
    assert.deepEqual(limiter.take(ask({ addressWeight: 1, isCancel: true })), byReserve)
  })

  it("is one cancel a second: none after 999 ms, another after 1,000", () => {
    const limiter = spent(2_400)
    const cancel = { addressWeight: 5, isCancel: true }
    assert.deepEqual(limiter.take(ask(cancel)), byReserve)
    assert.deepEqual(limiter.take(ask({ ...cancel, nowMs: 999 })), overAddress)
    assert.deepEqual(limiter.take(ask({ ...cancel, nowMs: 1_000 })), byReserve)
  })

  it("is for cancels alone", () => {
    assert.deepEqual(spent(2_400).take(ask({ addressWeight: 1 })), overAddress)
  })

  it("weighs nothing in the budget", () => {
    const limiter = spent(2_400)
    limiter.take(ask({ addressWeight: 5, isCancel: true, nowMs: 59_000 }))
    assert.deepEqual(limiter.take(ask({ addressWeight: 2_400, nowMs: 60_000 })), byBudget)
  })

  it("is another for each address", () => {
    const limiter = spent(2_400)
    assert.deepEqual(limiter.take(ask({ address: "0xb", addressWeight: 2_400 })), byBudget)
    for (const address of ["0xa", "0xb"]) {
      const cancel = ask({ address, addressWeight: 1, isCancel: true })
      assert.deepEqual(limiter.take(cancel), byReserve)
    }
  })

  it("doesn't pass the IP budget", () => {
    const cancel = ask({ addressWeight: 1, ipWeight: 1, isCancel: true })
    assert.deepEqual(spent(2_400, 1_200).take(cancel), overIp)
  })
})

describe("whatever is asked", () => {
  it("no 60 seconds hold more than the budgets, and no second two reserve cancels", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
        const limiter = createRateLimiter()
        let nowMs = 0
        const taken: { readonly atMs: number; readonly step: Step; readonly paidBy: string }[] = []
        for (const each of steps) {
          nowMs += each.afterMs
          const verdict = limiter.take(ask({ ...each, nowMs }))
          if (!verdict.ok) continue
          taken.push({ atMs: nowMs, step: each, paidBy: verdict.paidBy })
          const window = taken.filter(({ atMs }) => atMs > nowMs - 60_000)
          const budget = window.filter(({ paidBy }) => paidBy === "budget")
          const ofAddress = budget.map(({ step: { addressWeight } }) => addressWeight)
          const ofIp = window.map(({ step: { ipWeight } }) => ipWeight)
          assert.ok(sum(ofAddress) <= interfaceLimits.addressWeight)
          assert.ok(sum(ofIp) <= interfaceLimits.ipWeight)
          const justNow = taken.filter(({ atMs }) => atMs > nowMs - 1_000)
          assert.ok(justNow.filter(({ paidBy }) => paidBy === "reserve").length <= 1)
        }
      }),
      numRuns(200),
    )
  })
})

type Step = {
  readonly afterMs: number
  readonly addressWeight: number
  readonly ipWeight: number
  readonly isCancel: boolean
}
const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.oneof(fc.nat(1_500), fc.nat(30_000)),
  addressWeight: fc.constantFrom(1, 5, 40, 300, 1_000),
  ipWeight: fc.constantFrom(1, 2, 40, 200),
  isCancel: fc.boolean(),
})

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0)
}
