import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { createRateLimiter } from "../../src/sandbox/rate-limiter.ts"
import type { BudgetTerms } from "../../src/vault/ledger/budget.ts"
import {
  budgetMax,
  budgetWindowMs,
  openBudgets,
  reserveEveryMs,
  windowMarginMs,
  type BudgetScope,
  type Spending,
} from "../../src/vault/ledger/budgets.ts"
import type { Address } from "../../src/venue/address.ts"
import { otherSigner, signer } from "../support/ledger-ask.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom } from "../support/seeded-random.ts"

const hourMs = 3_600_000
const clients = ["a", "b", "c"] as const
const addresses = [signer, otherSigner] as const
/** Of endpoints, and of batches. */
const orderWeights = [1, 1, 1, 2, 3, 11, 40]
const cancelWeights = [1, 1, 5, 11]

/** What of each budget is promised to the clients, in percent, and kept for cancels of the IP budget. */
const shares = fc
  .tuple(fc.nat(40), fc.nat(40), fc.nat(15), fc.nat(5))
  .map(([a, b, c, forCancels]) => ({ percents: [a, b, c], forCancels }))
type Shares = typeof shares extends fc.Arbitrary<infer Value> ? Value : never

const traffic = fc.record({ seed: fc.string({ minLength: 1 }), shares })

/** A request that was let through, and when it comes to the venue. */
type Passed = { readonly spending: Spending; readonly atMs: number; readonly arrivesMs: number }
type Refused = {
  readonly spending: Spending
  readonly atMs: number
  readonly scope: BudgetScope
  /** What had been let through, the latest last. */
  readonly passed: readonly Passed[]
}

type Play = {
  readonly seed: string
  readonly shares: Shares
  /** So many percent of all requests are cancels. */
  readonly cancels: number
  /** How long a request may take to the venue. */
  readonly delayMs: number
  /** Whether requests come to the venue in the order in which they were counted. */
  readonly order: "kept" | "any"
}

function termsOf({ percents, forCancels }: Shares, scope: BudgetScope): BudgetTerms {
  const weight = (percent: number): number => (percent * budgetMax[scope]) / 100
  return {
    keptFor: new Map(clients.map((name, index) => [name, weight(percents[index] ?? 0)])),
    keptForCancels: scope === "ip" ? weight(forCancels) : 0,
  }
}

/** Plays an hour of requests, of which those are sent that budgets let through. */
function play(by: Play, onRefused: (refused: Refused) => void): readonly Passed[] {
  let nowMs = 0
  const budgets = openBudgets({ monotonicMs: () => nowMs })
  const passed: Passed[] = []
  for (const { atMs, delayMs, spending } of hourOf(by)) {
    nowMs = atMs
    const short = budgets.shortage(spending)
    if (short !== undefined) {
      onRefused({ spending, atMs, scope: short.scope, passed })
      continue
    }
    budgets.count(spending)
    const earliestMs = by.order === "kept" ? (passed.at(-1)?.arrivesMs ?? 0) : 0
    passed.push({ spending, atMs, arrivesMs: Math.max(earliestMs, atMs + delayMs) })
  }
  return passed
}

/** An hour in which each client is silent, steady and too fast in turn. */
function* hourOf(by: Play) {
  const random = seededRandom(by.seed)
  const terms = { address: termsOf(by.shares, "address"), ip: termsOf(by.shares, "ip") }
  for (let atMs = 0; atMs < hourMs;) {
    const phaseEndsMs = atMs + random.below(180_000)
    const mostPauseMs = random.pick([50, 100, 300])
    const busy = clients.filter(() => !random.isOneIn(3))
    while (atMs < phaseEndsMs) {
      atMs += random.below(mostPauseMs)
      const isCancel = random.below(100) < by.cancels
      const spending: Spending = {
        client: random.pick(busy.length === 0 ? clients : busy),
        address: addresses[random.isOneIn(5) ? 1 : 0],
        addressWeight: random.pick(isCancel ? cancelWeights : orderWeights),
        isCancel,
        terms,
      }
      yield { atMs, delayMs: random.below(by.delayMs + 1), spending }
    }
  }
}

/** What the venue's own limiter says to all that came to it. */
function venueRefusals(passed: readonly Passed[]): readonly unknown[] {
  const limiter = createRateLimiter()
  return passed
    .toSorted((one, other) => one.arrivesMs - other.arrivesMs)
    .flatMap((each) => {
      const { address, addressWeight, isCancel } = each.spending
      const asked = { ip: "here", ipWeight: 1, address, addressWeight, isCancel }
      const verdict = limiter.take({ ...asked, nowMs: each.arrivesMs })
      return verdict.ok ? [] : [{ ...each, verdict }]
    })
}

/** What is in the window by looking at all that was let through, weighed in one budget. */
function usedIn({ scope, atMs, passed, spending }: Refused) {
  const usedBy = new Map<string, number>()
  let used = 0
  let lastCancelMs = -Infinity
  for (let index = passed.length - 1; index >= 0; index -= 1) {
    const each = passed[index]
    if (each === undefined || each.atMs <= atMs - budgetWindowMs) break
    if (scope === "address" && each.spending.address !== spending.address) continue
    const weight = weightIn(scope, each.spending)
    used += weight
    usedBy.set(each.spending.client, (usedBy.get(each.spending.client) ?? 0) + weight)
    if (each.spending.isCancel) lastCancelMs = Math.max(lastCancelMs, each.atMs)
  }
  return { used, usedBy, lastCancelMs }
}

function weightIn(scope: BudgetScope, { addressWeight }: Spending): number {
  return scope === "ip" ? 1 : addressWeight
}

/** That it would have gone over, with what is kept for others; and a cancel of an address, that the reserve was taken. */
function assertNoRoom(refused: Refused): void {
  const { scope, spending, atMs } = refused
  const { keptFor, keptForCancels } = spending.terms[scope]!
  const { used, usedBy, lastCancelMs } = usedIn(refused)
  let kept = spending.isCancel ? 0 : keptForCancels
  for (const [name, share] of keptFor) {
    if (name !== spending.client) kept += Math.max(0, share - (usedBy.get(name) ?? 0))
  }
  assert.ok(used + kept + weightIn(scope, spending) > budgetMax[scope], "it had room")
  if (spending.isCancel && scope === "address") assert.ok(atMs < lastCancelMs + reserveEveryMs)
}

function assertOverShare(refused: Refused): void {
  const { scope, spending } = refused
  const share = spending.terms[scope]?.keptFor.get(spending.client) ?? 0
  const own = usedIn(refused).usedBy.get(spending.client) ?? 0
  assert.ok(own + weightIn(scope, spending) > share, "it was promised")
}

/** Of refusals one in so many is looked at: there are tens of thousands. */
const lookedAt = 31

function every(count: number, look: (refused: Refused) => void): (refused: Refused) => void {
  let seen = 0
  return (refused) => {
    seen += 1
    if (seen % count === 0) look(refused)
  }
}

describe("an hour of several clients' requests", () => {
  it("is let through so that the venue refuses none, and nothing is held back that has room", () => {
    fc.assert(
      fc.property(traffic, (by) => {
        const delayMs = reserveEveryMs - 1_000
        const passed = play(
          { ...by, cancels: 20, delayMs, order: "kept" },
          every(lookedAt, assertNoRoom),
        )
        assert.deepEqual(venueRefusals(passed), [])
      }),
      { ...numRuns(3), endOnFailure: true }, // to shrink an hour takes minutes
    )
  })

  it("without cancels is let through also where orders come later by the margin, in any order; and each client gets what it was promised", () => {
    fc.assert(
      fc.property(traffic, (by) => {
        const passed = play(
          { ...by, cancels: 0, delayMs: windowMarginMs - 1, order: "any" },
          every(lookedAt, (refused) => {
            assertNoRoom(refused)
            assertOverShare(refused)
          }),
        )
        assert.deepEqual(venueRefusals(passed), [])
      }),
      { ...numRuns(3), endOnFailure: true }, // to shrink an hour takes minutes
    )
  })
})

describe("budgets", () => {
  it("say when a request has room: then it has, and a millisecond before it hasn't", () => {
    const step = fc.record({
      passMs: fc.nat(3_000),
      client: fc.constantFrom(...clients),
      weight: fc.integer({ min: 1, max: 200 }),
      isCancel: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 40, maxLength: 120, size: "max" }),
        shares,
        (steps, kept) => {
          let nowMs = 0
          const budgets = openBudgets({ monotonicMs: () => nowMs })
          const terms = { address: termsOf(kept, "address"), ip: termsOf(kept, "ip") }
          const address: Address = signer
          for (const { passMs, client, weight, isCancel } of steps) {
            nowMs += passMs
            const spending = { client, address, addressWeight: weight, isCancel, terms }
            const waitMs = budgets.shortage(spending)?.retryAfterMs
            if (waitMs === undefined) {
              if (budgets.shortage(spending) === undefined) budgets.count(spending)
              continue
            }
            nowMs += waitMs - 1
            assert.equal(budgets.shortage(spending)?.retryAfterMs, 1)
            nowMs += 1
            assert.equal(budgets.shortage(spending), undefined)
            budgets.count(spending)
          }
        },
      ),
      numRuns(100),
    )
  })
})
