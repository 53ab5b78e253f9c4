import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { createRateLimiter } from "../../src/sandbox/rate-limiter.ts"
import { budgetExhausted } from "../../src/vault/ledger/budget-exhausted.ts"
import type { Place } from "../../src/vault/ledger/budget-line.ts"
import { budgetMax, type BudgetTerms } from "../../src/vault/ledger/budget.ts"
import {
  openBudgets,
  type Budgets,
  type BudgetScope,
  type Spending,
} from "../../src/vault/ledger/budgets.ts"
import { openWaitingRoom, type Ticket, type WaitingRoom } from "../../src/vault/waiting-room.ts"
import { otherSigner, signer } from "../support/ledger-ask.ts"
import { passingTime, type PassingTime } from "../support/passing-time.ts"
import { numRuns } from "../support/runs.ts"
import { seededRandom, type SeededRandom } from "../support/seeded-random.ts"
import { nothingKept } from "../support/spending.ts"

const clients = ["a", "b", "c"] as const
const playMs = 240_000
const maxWaitMs = 30_000

/** A request, and what became of it. */
type Asked = {
  readonly spending: Spending
  readonly askedMs: number
  /** `undefined`: it doesn't wait. */
  readonly waitMs: number | undefined
  endedMs: number
  end: "passed" | "refused" | "abandoned" | undefined
  isPastIp: boolean
}

type Play = {
  readonly time: PassingTime
  readonly budgets: Budgets
  /** The same without a line: what there is room for, whoever waits. */
  readonly bare: Budgets
  readonly room: WaitingRoom
  readonly asked: Asked[]
  /** In the order in which it passed. */
  readonly passed: Asked[]
}

function open(): Play {
  const time = passingTime()
  const { clock, alarm } = time
  const budgets = openBudgets(clock)
  const room = openWaitingRoom({ budgets, clock, alarm })
  return { time, budgets, bare: openBudgets(clock), room, asked: [], passed: [] }
}

function enter({ room, asked }: Play, each: Asked): Ticket | undefined {
  const call = { token: "cs_a", id: String(asked.push(each)) }
  return each.waitMs === undefined ? undefined : room.enter({ ...call, ms: each.waitMs })
}

/** Asks as the vault does, until it is through or refused. */
async function ask(play: Play, asked: Asked): Promise<void> {
  const { budgets, time } = play
  const ticket = enter(play, asked)
  const spending = inPlace(asked.spending, ticket?.place)
  while (asked.end === undefined) {
    const short = budgets.shortage(spending)
    if (short === undefined) pass(play, asked, spending)
    else {
      assertHeldUpRightly(play, asked)
      const woken = await ticket?.wait(budgetExhausted(short, time.clock.nowMs()), spending)
      asked.end = woken === "again" ? undefined : (woken ?? "refused")
    }
  }
  ticket?.leave()
  asked.endedMs = time.clock.monotonicMs()
}

function inPlace(spending: Spending, place: Place | undefined): Spending {
  return place === undefined ? spending : { ...spending, place }
}

function pass({ budgets, bare, passed }: Play, asked: Asked, spending: Spending): void {
  assert.equal(bare.shortage(asked.spending), undefined, "the line makes no room")
  asked.isPastIp = bare.stand("x", nothingKept, undefined).used >= budgetMax.ip
  budgets.count(spending)
  bare.count(asked.spending)
  passed.push(asked)
  asked.end = "passed"
}

/** What a client is promised, and what reduces risk where there is room, nobody's waiting but its own holds up. */
function assertHeldUpRightly({ bare, asked }: Play, { spending }: Asked): void {
  if (bare.shortage(spending) !== undefined) return
  const others = asked.filter((each) => each.end === undefined)
  const ahead = others.filter(({ spending: { client } }) => client === spending.client)
  assert.ok(others.length > 1, "nobody waits")
  if (ahead.length > 1) return
  const isPromised = (["ip", "address"] as const).every((scope) => {
    const terms = spending.terms[scope]
    const address = scope === "ip" ? undefined : spending.address
    const own = terms === undefined ? 0 : bare.stand(spending.client, terms, address).own
    const weight = scope === "ip" ? spending.ipWeight : spending.addressWeight
    return own + weight <= (terms?.keptFor.get(spending.client) ?? 0)
  })
  assert.ok(!isPromised, "it was promised")
  assert.ok(!spending.isCancel || !hasRealRoom(bare, spending), "nothing stands before a cancel")
}

/** Room for a cancel without its reserve. */
function hasRealRoom(bare: Budgets, spending: Spending): boolean {
  return bare.shortage({ ...spending, isCancel: false, reducesRisk: false }) === undefined
}

function termsOf(percents: readonly number[], scope: BudgetScope): BudgetTerms {
  const shares = clients.map(
    (name, index) => [name, ((percents[index] ?? 0) * budgetMax[scope]) / 100] as const,
  )
  return { keptFor: new Map(shares), keptForCancels: 0 }
}

async function playOut(seed: string, percents: readonly number[]): Promise<Play> {
  const play = open()
  const random = seededRandom(seed)
  const terms = { address: termsOf(percents, "address"), ip: termsOf(percents, "ip") }
  const calls: Promise<void>[] = []
  while (play.time.clock.monotonicMs() < playMs) {
    const request = requestOf(random)
    const isRead = request.address === undefined
    const spending = {
      ...request,
      client: random.pick(clients),
      terms: isRead ? { ...terms, address: undefined } : terms,
    }
    const asked: Asked = {
      ...{ spending, askedMs: play.time.clock.monotonicMs(), endedMs: 0 },
      ...{ waitMs: random.isOneIn(3) ? undefined : 1 + random.below(maxWaitMs) },
      ...{ end: undefined, isPastIp: false },
    }
    calls.push(ask(play, asked))
    if (random.isOneIn(10)) abandonOne(play, random.below(30))
    if (random.isOneIn(200)) play.room.reconsider()
    await play.time.pass(random.below(random.isOneIn(300) ? 20_000 : 140))
  }
  await play.time.pass(maxWaitMs)
  await Promise.all(calls)
  return play
}

/** A read or a write, of weights that use up both budgets. */
function requestOf(random: SeededRandom): Omit<Spending, "client" | "terms"> {
  const kind = { isCancel: false, reducesRisk: false }
  if (random.isOneIn(40)) return { ...kind, address: undefined, addressWeight: 0, ipWeight: 40 }
  const isCancel = random.isOneIn(8)
  return {
    address: random.isOneIn(6) ? otherSigner : signer,
    addressWeight: random.pick(isCancel ? [1, 1, 5] : [1, 1, 2, 11]),
    ipWeight: 1,
    isCancel,
    reducesRisk: isCancel || random.isOneIn(10),
  }
}

function abandonOne({ room, asked }: Play, back: number): void {
  room.abandon({ token: "cs_a", id: String(asked.length - back) })
}

function assertVenueTakesAll({ passed }: Play): void {
  const limiter = createRateLimiter()
  for (const { spending, endedMs: nowMs, isPastIp } of passed) {
    const { address = signer, addressWeight, ipWeight, isCancel } = spending
    const verdict = limiter.take({ ip: "here", ipWeight, address, addressWeight, isCancel, nowMs })
    assert.ok(verdict.ok || (isPastIp && verdict.scope === "ip"), "the venue refuses it")
  }
}

function assertInBounds({ asked }: Play): void {
  for (const { askedMs, endedMs, waitMs = 0, end } of asked) {
    assert.ok(end !== undefined && endedMs <= askedMs + waitMs, "it waited for longer than it may")
  }
}

/** Without shares, of an address's orders none passes one that came before it and waits then. */
function assertInOrder({ asked }: Play): void {
  const orders = asked
    .map((each, index) => ({ ...each, index }))
    .filter(({ spending }) => !spending.reducesRisk)
  const waited = orders.filter(({ askedMs, endedMs }) => endedMs > askedMs)
  for (const later of orders.filter(({ end }) => end === "passed")) {
    const overtaken = waited.find(
      ({ spending, index, endedMs }) =>
        spending.address === later.spending.address &&
        index < later.index &&
        endedMs > later.endedMs,
    )
    assert.equal(overtaken, undefined, "it overtook one that waits")
  }
}

describe("requests that wait for room, among others that don't", () => {
  const seeds = fc.string({ minLength: 1 })

  it("never go over the venue's budgets, and wait no longer than they may", async () => {
    const percents = fc.tuple(fc.nat(30), fc.nat(30), fc.nat(30))
    const property = fc.asyncProperty(seeds, percents, async (seed, shares) => {
      const play = await playOut(seed, shares)
      assertVenueTakesAll(play)
      assertInBounds(play)
    })
    await fc.assert(property, { ...numRuns(3), endOnFailure: true })
  })

  it("go on in their order where nobody has a share", async () => {
    const property = fc.asyncProperty(seeds, async (seed) => {
      const play = await playOut(seed, [])
      assertVenueTakesAll(play)
      assertInBounds(play)
      assertInOrder(play)
    })
    await fc.assert(property, { ...numRuns(3), endOnFailure: true })
  })
})
