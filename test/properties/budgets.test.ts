import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { createRateLimiter, type RateLimiter } from "../../src/sandbox/state/rate-limiter.ts"
import {
  budgetMax,
  budgetWindowMs,
  reserveEveryMs,
  windowMarginMs,
  type BudgetTerms,
  type BudgetScope,
  type Spending,
} from "../../src/vault/budgets/budget.ts"
import { openBudgets, type Budgets } from "../../src/vault/budgets/budgets.ts"
import type { Address } from "../../src/venue/address.ts"
import type { Lane } from "../../src/venue/payload/payload.ts"
import { otherSigner, signer } from "../support/ledger-ask.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts"

const hourMs = 3_600_000
const clients = ["a", "b", "c"] as const
const addresses = [signer, otherSigner] as const
/** Of reads, the last of the explorer's. */
const readWeights = [2, 2, 2, 2, 40]
/** Of endpoints, and of batches. */
const orderWeights = [1, 1, 1, 2, 3, 11, 40]
const cancelWeights = [1, 1, 5, 11]
/** For how long who was refused a cancel may have its turn before others. */
const reserveWaitsForMs = 10_000

/** What of each budget is promised to the clients, in percent, and kept for cancels of the IP budget. */
const shares = fc
  .tuple(fc.nat(40), fc.nat(40), fc.nat(15), fc.nat(5))
  .map(([a, b, c, forCancels]) => ({ percents: [a, b, c], forCancels }))
type Shares = typeof shares extends fc.Arbitrary<infer Value> ? Value : never

const traffic = fc.record({ seed: fc.string({ minLength: 1 }), shares })

/** A request that was let through, and when it comes to the venue. */
type Passed = {
  readonly spending: Spending
  readonly atMs: number
  readonly arrivesMs: number
  /** The one exception: it reduces risk, and was let through though the IP budget had no room for it. */
  readonly isPastIp: boolean
}
type Asked = {
  readonly spending: Spending
  readonly atMs: number
  readonly scope: BudgetScope
  /** What had been let through, the latest last. */
  readonly passed: readonly Passed[]
}
type Refused = Asked & { readonly turnedAway: TurnedAway }

/** The last cancel of each client for each address that was refused. */
type TurnedAway = Map<string, { readonly spending: Spending; readonly atMs: number }>

type Play = {
  readonly seed: string
  readonly shares: Shares
  /** So many percent of all requests are cancels. */
  readonly cancels: number
  /** So many percent of the others are reduce-only. */
  readonly reducing: number
  /** So many percent are reads. */
  readonly reads: number
  /** How long a request may take to the venue. */
  readonly delayMs: number
  /** Whether requests come to the venue in the order in which they were counted. */
  readonly order: "kept" | "any"
}

/** What a read says of addresses. */
const nothingWritten = {
  address: undefined,
  addressWeight: 0,
  lane: "open",
} as const

function termsOf({ percents, forCancels }: Shares, scope: BudgetScope): BudgetTerms {
  const weight = (percent: number): number => (percent * budgetMax[scope]) / 100
  return {
    max: budgetMax[scope],
    keptFor: new Map(clients.map((name, index) => [name, weight(percents[index] ?? 0)])),
    keptForCancels: scope === "ip" ? weight(forCancels) : 0,
  }
}

/** Plays an hour of requests, of which those are sent that budgets let through. */
function play(by: Play, onRefused: (refused: Refused) => void): readonly Passed[] {
  let nowMs = 0
  const budgets = openBudgets({ monotonicMs: () => nowMs })
  const passed: Passed[] = []
  const turnedAway: TurnedAway = new Map()
  for (const { atMs, delayMs, spending } of hourOf(by)) {
    nowMs = atMs
    const short = budgets.ask(spending)
    if (short !== undefined) {
      onRefused({ spending, atMs, scope: short.scope, passed, turnedAway })
      turnAway(turnedAway, spending, atMs)
      continue
    }
    budgets.count(spending)
    const isPastIp = spending.lane !== "open" && usedOfIp(passed, atMs) >= budgetMax.ip
    const earliestMs = by.order === "kept" ? (passed.at(-1)?.arrivesMs ?? 0) : 0
    passed.push({ spending, atMs, arrivesMs: Math.max(earliestMs, atMs + delayMs), isPastIp })
  }
  return passed
}

function turnAway(turnedAway: TurnedAway, spending: Spending, atMs: number): void {
  const { client, address, lane } = spending
  if (lane === "cancel") turnedAway.set(`${address} ${client}`, { spending, atMs })
}

/** How many other clients may have their turn first, at most. */
function othersWaiting({ spending, atMs, turnedAway }: Refused): number {
  const { client, address } = spending
  return [...turnedAway.values()]
    .filter(({ spending: other }) => other.address === address && other.client !== client)
    .filter((other) => atMs < other.atMs + reserveWaitsForMs).length
}

/** An hour in which each client is silent, steady and too fast in turn, for the IP budget or those of addresses. */
function* hourOf(by: Play) {
  const random = seededRandom(by.seed)
  const terms = { address: termsOf(by.shares, "address"), ip: termsOf(by.shares, "ip") }
  const ofReads = { ...terms, address: undefined }
  for (let atMs = 0; atMs < hourMs;) {
    const phaseEndsMs = atMs + random.below(180_000)
    const mostPauseMs = random.pick([50, 100, 300])
    const isLight = random.isOneIn(2)
    const busy = clients.filter(() => !random.isOneIn(3))
    while (atMs < phaseEndsMs) {
      atMs += random.below(mostPauseMs)
      const client = random.pick(busy.length === 0 ? clients : busy)
      const delayMs = random.below(by.delayMs + 1)
      const spending =
        random.below(100) < by.reads
          ? { ...nothingWritten, client, ipWeight: random.pick(readWeights), terms: ofReads }
          : { ...written(random, by, isLight), client, terms }
      yield { atMs, delayMs, spending }
    }
  }
}

function written(random: SeededRandom, by: Play, isLight: boolean) {
  const isCancel = random.below(100) < by.cancels
  const notCancel: Lane = random.below(100) < by.reducing ? "reduce" : "open"
  return {
    ipWeight: 1,
    address: addresses[random.isOneIn(5) ? 1 : 0],
    addressWeight: isLight ? 1 : random.pick(isCancel ? cancelWeights : orderWeights),
    lane: isCancel ? ("cancel" as const) : notCancel,
  }
}

/** What the venue's own limiter refuses of all that came to it, but for what its IP budget refuses of the exception. */
function venueRefusals(passed: readonly Passed[]): readonly unknown[] {
  const limiter = createRateLimiter()
  return passed
    .toSorted((one, other) => one.arrivesMs - other.arrivesMs)
    .flatMap((each) => {
      const { address, addressWeight, ipWeight, lane } = each.spending
      const isCancel = lane === "cancel"
      const asked = { ip: "here", ipWeight, address, addressWeight, isCancel }
      const verdict = limiter.take({ ...asked, nowMs: each.arrivesMs })
      if (verdict.ok || (each.isPastIp && verdict.scope === "ip")) return []
      return [{ ...each, verdict }]
    })
}

/** What is in the window by looking at all that was let through. */
function inWindow({ scope, atMs, passed, spending }: Asked): readonly Passed[] {
  const before = passed.findLastIndex((each) => each.atMs <= atMs - budgetWindowMs)
  const counted = passed.slice(before + 1)
  return scope === "ip"
    ? counted
    : counted.filter((each) => each.spending.address === spending.address)
}

/** The same, weighed in one budget. */
function usedIn(refused: Asked) {
  const usedBy = new Map<string, number>()
  let used = 0
  for (const { spending } of inWindow(refused)) {
    const weight = weightIn(refused.scope, spending)
    used += weight
    usedBy.set(spending.client, (usedBy.get(spending.client) ?? 0) + weight)
  }
  return { used, usedBy }
}

/** The sum alone, in one budget: this is asked of each request. */
function usedOfIp(passed: readonly Passed[], atMs: number): number {
  const before = passed.findLastIndex((each) => each.atMs <= atMs - budgetWindowMs)
  let used = 0
  for (let index = before + 1; index < passed.length; index++) {
    used += passed[index]?.spending.ipWeight ?? 0
  }
  return used
}

function weightIn(scope: BudgetScope, { ipWeight, addressWeight }: Spending): number {
  return scope === "ip" ? ipWeight : addressWeight
}

/** That it would have gone over, with what is kept for others; and that what could have let it through was taken. */
function assertNoRoom(refused: Refused): void {
  const { scope, spending, atMs } = refused
  const { used, usedBy } = usedIn(refused)
  const kept = spending.lane !== "open" ? 0 : keptFrom(spending, scope, usedBy)
  assert.ok(used + kept + weightIn(scope, spending) > budgetMax[scope], "it had room")
  if (!(scope === "ip" ? spending.lane !== "open" : spending.lane === "cancel")) return
  const taken = inWindow(refused).findLast((each) =>
    scope === "ip"
      ? each.isPastIp && each.spending.client === spending.client
      : each.spending.lane === "cancel",
  )
  const turns = scope === "ip" ? 1 : 1 + othersWaiting(refused)
  assert.ok(
    taken !== undefined && atMs < taken.atMs + turns * reserveEveryMs,
    "its reserve was free",
  )
}

function keptFrom(
  { client, terms }: Spending,
  scope: BudgetScope,
  usedBy: ReadonlyMap<string, number>,
): number {
  const { keptFor, keptForCancels } = terms[scope]!
  return [...keptFor]
    .filter(([name]) => name !== client)
    .map(([name, share]) => Math.max(0, share - (usedBy.get(name) ?? 0)))
    .reduce((sum, each) => sum + each, keptForCancels)
}

/** Each client's exceptions are as far apart as they are to be. */
function assertRare(passed: readonly Passed[]): void {
  const last = new Map<string, number>()
  for (const { atMs, spending } of passed.filter(({ isPastIp }) => isPastIp)) {
    assert.ok(atMs >= (last.get(spending.client) ?? -Infinity) + reserveEveryMs)
    last.set(spending.client, atMs)
  }
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
  it("is let through so that the venue refuses none, but for what reduces risk past a spent IP budget, and nothing is held back that has room", () => {
    fc.assert(
      fc.property(traffic, (by) => {
        const delayMs = reserveEveryMs - 1_000
        const passed = play(
          { ...by, cancels: 20, reducing: 20, reads: 10, delayMs, order: "kept" },
          every(lookedAt, assertNoRoom),
        )
        assertRare(passed)
        assert.deepEqual(venueRefusals(passed), [])
      }),
      { ...numRuns(3), endOnFailure: true }, // to shrink an hour takes minutes
    )
  })

  it("of which nothing reduces risk is let through also where orders come later by the margin, in any order; and each client gets what it was promised", () => {
    fc.assert(
      fc.property(traffic, (by) => {
        const passed = play(
          { ...by, cancels: 0, reducing: 0, reads: 10, delayMs: windowMarginMs - 1, order: "any" },
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

describe("budgets and the venue's own limiter", () => {
  /** What was let through and what wasn't, and the time. */
  type Model = { nowMs: number; readonly passed: Passed[]; readonly turnedAway: TurnedAway }
  type Real = { readonly budgets: Budgets; readonly limiter: RateLimiter }
  type Command = fc.Command<Model, Real>
  type Ask = Omit<Spending, "terms"> & { readonly times: number }

  /** On the average half a minute, so that some hundred of them are an hour. */
  const passes = fc.nat(60_000).map((ms) => pass(ms))
  const asked = fc.record({
    client: fc.constantFrom(...clients),
    address: fc.constantFrom(...addresses),
    ipWeight: fc.constantFrom(1, 1, 1, 2, 40),
    addressWeight: fc.constantFrom(1, 1, 2, 11, 40),
    lane: fc.constantFrom<Lane[]>("cancel", "reduce", "open", "open"),
    times: fc.constantFrom(1, 1, 10, 300),
  })
  const askings = fc.tuple(asked, shares).map(([each, kept]) => ask(each, kept))

  it("agree on an hour of anyone's requests, but for what is kept here and counts longer", () => {
    const hour = fc.commands([passes, askings, askings], { size: "max", maxCommands: 240 })
    fc.assert(
      fc.property(hour, (commands) => {
        fc.modelRun(() => {
          const model: Model = { nowMs: 0, passed: [], turnedAway: new Map() }
          const budgets = openBudgets({ monotonicMs: () => model.nowMs })
          return { model, real: { budgets, limiter: createRateLimiter() } }
        }, commands)
      }),
      numRuns(10),
    )
  })

  function pass(ms: number): Command {
    return {
      check: () => true,
      run: (model) => void (model.nowMs += ms),
      toString: () => `${ms} ms pass`,
    }
  }

  function ask({ times, ...rest }: Ask, kept: Shares): Command {
    const terms = { address: termsOf(kept, "address"), ip: termsOf(kept, "ip") }
    const spending = { ...rest, terms }
    return {
      check: () => true,
      run(model, real) {
        for (let count = 0; count < times && askOnce(spending, model, real); count++);
      },
      toString: () => `${times} times ${JSON.stringify(rest)}`,
    }
  }

  /** Whether it was let through: then the venue takes it too; and if not, there was no room for it. */
  function askOnce(spending: Spending, model: Model, real: Real): boolean {
    const { nowMs, passed, turnedAway } = model
    const short = real.budgets.ask(spending)
    if (short !== undefined) {
      assertNoRoom({ spending, atMs: nowMs, scope: short.scope, passed, turnedAway })
      turnAway(turnedAway, spending, nowMs)
      return false
    }
    real.budgets.count(spending)
    const used = usedOfIp(passed, nowMs)
    const isPastIp = spending.lane !== "open" && used + spending.ipWeight > budgetMax.ip
    passed.push({ spending, atMs: nowMs, arrivesMs: nowMs, isPastIp })
    const isCancel = spending.lane === "cancel"
    const verdict = real.limiter.take({ ...spending, isCancel, ip: "here", nowMs })
    assert.ok(verdict.ok || (isPastIp && verdict.scope === "ip"), "the venue refuses it")
    return true
  }
})

describe("budgets", () => {
  it("say when a request has room: then it has, and a millisecond before it hasn't", () => {
    const step = fc.record({
      passMs: fc.nat(3_000),
      client: fc.constantFrom(...clients),
      weight: fc.integer({ min: 1, max: 200 }),
      ipWeight: fc.constantFrom(1, 2, 40),
      lane: fc.constantFrom<Lane[]>("cancel", "reduce", "open"),
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
          for (const { passMs, client, weight, ipWeight, lane } of steps) {
            nowMs += passMs
            const spending = { client, address, addressWeight: weight, ipWeight, lane, terms }
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
