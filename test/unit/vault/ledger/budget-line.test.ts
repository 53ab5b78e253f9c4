import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Place } from "../../../../src/vault/ledger/budget-line.ts"
import type { BudgetTerms } from "../../../../src/vault/ledger/budget.ts"
import { openBudgets, type Budgets, type Spending } from "../../../../src/vault/ledger/budgets.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { otherSigner } from "../../../support/ledger-ask.ts"
import { nothingKept, orderSpending as order } from "../../../support/spending.ts"

/** `rich` is promised 100 of each budget. */
const shared: BudgetTerms = { keptFor: new Map([["rich", 100]]), keptForCancels: 0 }
const batch: Spending = { ...order, addressWeight: 11 }
const reducing: Spending = { ...order, reducesRisk: true }
const cancel: Spending = { ...reducing, isCancel: true }

function open(terms: BudgetTerms = nothingKept) {
  const clock = fakeClock()
  const of = (spending: Spending): Spending => ({
    ...spending,
    terms: { address: terms, ip: terms },
  })
  return { clock, budgets: openBudgets(clock), of }
}

/** Leaves so much of the address's budget. */
function leave(budgets: Budgets, left: number, of = order): void {
  const byAddress = { ...of, terms: { ...of.terms, ip: undefined } }
  budgets.count({ ...byAddress, addressWeight: 2_400 - left })
}

/** Leaves so much of the IP budget. */
function leaveIp(budgets: Budgets, left: number): void {
  budgets.count({ ...order, ipWeight: 1_200 - left, addressWeight: 0, address: otherSigner })
}

function wait(budgets: Budgets, spending: Spending): Place {
  const place = Symbol("a test's")
  budgets.wait({ ...spending, place })
  return place
}

function inMs(budgets: Budgets, spending: Spending): number | undefined {
  return budgets.shortage(spending)?.retryAfterMs
}

/** Takes what is due, as those do who wait. */
function takeTurns(budgets: Budgets, waiting: ReadonlyMap<Place, Spending>): readonly Place[] {
  const { due } = budgets.turns()
  for (const place of due) {
    const spending = waiting.get(place)
    if (spending !== undefined) budgets.count({ ...spending, place })
  }
  return due
}

describe("who comes while others wait", () => {
  it("is behind them for the same budget, until they are gone", () => {
    const { budgets } = open()
    leave(budgets, 5)
    assert.equal(budgets.shortage(order), undefined)
    const place = wait(budgets, batch)
    assert.equal(inMs(budgets, order), 60_500)
    assert.equal(budgets.shortage(order)?.used, 2_395 + 11)
    budgets.leave(place)
    assert.equal(budgets.shortage(order), undefined)
  })

  it("passes where there is room beside them", () => {
    const { budgets, clock } = open()
    leave(budgets, 12)
    wait(budgets, batch) // its turn has come, and it hasn't taken it yet
    assert.equal(budgets.shortage(order), undefined)
    assert.equal(inMs(budgets, { ...order, addressWeight: 2 }), 60_500)
    clock.pass(60_500)
    assert.equal(budgets.shortage({ ...order, addressWeight: 2_389 }), undefined)
  })

  it("isn't behind those that wait for another budget", () => {
    const { budgets } = open()
    leave(budgets, 5)
    leaveIp(budgets, 1)
    wait(budgets, batch)
    assert.equal(budgets.shortage({ ...order, address: otherSigner, addressWeight: 1 }), undefined)
  })

  it("is told when it fits behind them, however many they are", () => {
    const { budgets } = open()
    leave(budgets, 0)
    for (let count = 0; count < 300; count += 1) wait(budgets, batch)
    assert.equal(inMs(budgets, order), 60_500)
  })

  it("never fits where it never would alone", () => {
    const { budgets } = open()
    leave(budgets, 0)
    wait(budgets, batch)
    const short = budgets.shortage({ ...order, addressWeight: 2_401 })
    assert.ok(short !== undefined && short.retryAfterMs === undefined)
  })

  it("has what it is promised, whoever waits, and no more", () => {
    const { budgets, of } = open(shared)
    const rich = of({ ...order, client: "rich" })
    leave(budgets, 105, of(order))
    wait(budgets, of(batch))
    assert.equal(budgets.shortage({ ...rich, addressWeight: 100 }), undefined)
    assert.ok(budgets.shortage({ ...rich, addressWeight: 101 }))
    wait(budgets, { ...rich, addressWeight: 101 })
    assert.ok(budgets.shortage(rich), "its own are ahead of it")
  })

  it("isn't behind an order where it reduces risk", () => {
    const { budgets } = open()
    leave(budgets, 5)
    wait(budgets, batch)
    for (const each of [reducing, cancel]) assert.equal(budgets.shortage(each), undefined)
  })

  it("is behind what reduces risk, for what that waits for", () => {
    const { budgets } = open()
    leave(budgets, 5)
    wait(budgets, { ...reducing, addressWeight: 11 })
    assert.ok(budgets.shortage(order))
    assert.ok(budgets.shortage(reducing))
    assert.equal(budgets.shortage(cancel), undefined)
  })

  it("takes no reserve before those that wait for it", () => {
    const { budgets, clock } = open()
    leave(budgets, 0)
    budgets.count(cancel)
    clock.pass(1_000)
    wait(budgets, { ...cancel, client: "other" })
    assert.equal(inMs(budgets, cancel), 100 + 1_100)
    clock.pass(100)
    assert.equal(inMs(budgets, cancel), 1_100)
  })
})

describe("the line of those that wait", () => {
  /** Puts each in line and tells in which order they have their turns when the whole window is free. */
  function turnsOf(spendings: readonly Spending[]): readonly number[] {
    const { budgets, clock } = open()
    leave(budgets, 0)
    leaveIp(budgets, 0)
    const places = spendings.map((spending) => wait(budgets, spending))
    clock.pass(60_500)
    return budgets.turns().due.map((place) => places.indexOf(place))
  }

  it("goes on as it came", () => {
    assert.deepEqual(turnsOf([batch, order, { ...order, client: "other" }]), [0, 1, 2])
  })

  it("has what reduces risk first, and of that each client's first before anyone's second", () => {
    const other = { client: "other" }
    const asked = [order, cancel, cancel, reducing, { ...cancel, ...other }, { ...order, ...other }]
    assert.deepEqual(turnsOf(asked), [1, 4, 2, 3, 0, 5])
  })

  it("gives the reserve to one after the other, each client in turn", () => {
    const { budgets, clock } = open()
    leave(budgets, 0)
    const waiting = new Map<Place, Spending>()
    for (const client of ["greedy", "greedy", "greedy", "modest"]) {
      waiting.set(wait(budgets, { ...cancel, client }), { ...cancel, client })
    }
    const served: string[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const [first, ...more] = takeTurns(budgets, waiting)
      assert.ok(first !== undefined && more.length === 0)
      served.push(waiting.get(first)?.client ?? "")
      assert.deepEqual(budgets.turns().due, [])
      clock.pass(1_100)
    }
    assert.deepEqual(served, ["greedy", "modest", "greedy", "greedy"])
  })

  it("tells when the next has room: then it has, and a millisecond before it hasn't", () => {
    const { budgets, clock } = open()
    leave(budgets, 5)
    clock.pass(10_000)
    const place = wait(budgets, batch)
    wait(budgets, order)
    assert.deepEqual(budgets.turns(), { due: [], nextInMs: 50_500 })
    clock.pass(50_499)
    assert.deepEqual(budgets.turns(), { due: [], nextInMs: 1 })
    clock.pass(1)
    const { due, nextInMs } = budgets.turns()
    assert.deepEqual([due.length, due[0], nextInMs], [2, place, undefined])
  })

  it("keeps a place for what it asks by now, and loses it when that is counted", () => {
    const { budgets } = open()
    leave(budgets, 5)
    const place = wait(budgets, batch)
    wait(budgets, order)
    budgets.wait({ ...batch, addressWeight: 4, place })
    assert.equal(budgets.turns().due.length, 2)
    budgets.count({ ...batch, addressWeight: 4, place })
    assert.equal(budgets.turns().due.length, 1)
  })
})
