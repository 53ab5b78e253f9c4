import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Refusal } from "../../../src/link/refusal.ts"
import { budgetExhausted } from "../../../src/vault/ledger/budget-exhausted.ts"
import { openBudgets, type Budgets, type Spending } from "../../../src/vault/ledger/budgets.ts"
import { maxWaiting, openWaitingRoom, type WaitingRoom } from "../../../src/vault/waiting-room.ts"
import { passingTime, type PassingTime } from "../../support/passing-time.ts"
import { orderSpending as order } from "../../support/spending.ts"

const cancel: Spending = { ...order, isCancel: true, reducesRisk: true }

type Played = {
  readonly time: PassingTime
  readonly budgets: Budgets
  readonly room: WaitingRoom
  /** What became of calls, in that order. */
  readonly ended: readonly string[]
  /** Asks as the vault does: again and again until it is through or refused. */
  ask(name: string, ms: number, changes?: Partial<Spending>): void
}

function play(): Played {
  const time = passingTime()
  const { clock, alarm } = time
  const budgets = openBudgets(clock)
  const room = openWaitingRoom({ budgets, clock, alarm })
  const ended: string[] = []
  const ask = async (id: string, ms: number, changes: Partial<Spending> = {}): Promise<void> => {
    const ticket = room.enter({ token: "cs_a", id, ms })
    const spending = { ...order, ...changes, place: ticket.place }
    const tell = (what: string): void => void ended.push(`${id} ${what}`)
    for (;;) {
      const short = budgets.shortage(spending)
      if (short === undefined) {
        budgets.count(spending)
        tell("passed")
        break
      }
      const woken = await ticket.wait(budgetExhausted(short, clock.nowMs()), spending)
      if (woken !== "again") {
        tell(woken)
        break
      }
    }
    ticket.leave()
  }
  return { time, budgets, room, ended, ask: (...args) => void ask(...args) }
}

/** Has all of the address's budget used, in parts that are free again one second after the other. */
function spend({ time, budgets }: Played, parts: readonly number[]): Promise<void> {
  return parts.reduce(async (before, weight) => {
    await before
    budgets.count({ ...order, terms: { ...order.terms, ip: undefined }, addressWeight: weight })
    await time.pass(1_000)
  }, Promise.resolve())
}

describe("a call that waits for room", () => {
  it("goes on when there is room, and not a millisecond before", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(50_000)
    played.ask("a", 30_000)
    await played.time.pass(9_499)
    assert.deepEqual(played.ended, [])
    await played.time.pass(1)
    assert.deepEqual(played.ended, ["a passed"])
  })

  it("goes on in its order, cancels first", async () => {
    const played = play()
    await spend(played, [2_395, 5])
    await played.time.pass(48_500) // room for all three in 10,000 ms
    played.budgets.count(cancel) // takes the reserve
    played.ask("first", 30_000, { addressWeight: 11 })
    played.ask("second", 30_000)
    played.ask("cancel", 30_000, cancel)
    await played.time.pass(1_099)
    assert.deepEqual(played.ended, [])
    await played.time.pass(1)
    assert.deepEqual(played.ended, ["cancel passed"])
    played.ask("third", 30_000)
    await played.time.pass(8_899)
    assert.deepEqual(played.ended, ["cancel passed"])
    await played.time.pass(1)
    assert.deepEqual(
      played.ended,
      ["cancel", "first", "second", "third"].map((who) => `${who} passed`),
    )
  })

  it("takes the reserve for cancels as soon as it is free, whatever of its client waits ahead", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(30_000)
    played.budgets.count({ ...cancel, terms: { ...cancel.terms, ip: undefined } })
    played.ask("close", 29_500, { reducesRisk: true })
    played.ask("cancel", 20_000, { isCancel: true, reducesRisk: true })
    await played.time.pass(1_099)
    assert.deepEqual(played.ended, [])
    await played.time.pass(1)
    assert.deepEqual(played.ended, ["cancel passed"])
  })

  it("is refused at once where there is room too late, and waits where it is in time", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(50_000) // room in 9,500 ms
    played.ask("a", 9_499)
    played.ask("b", 9_500)
    await played.time.pass(0)
    assert.deepEqual(played.ended, ["a refused"])
    await played.time.pass(9_500)
    assert.deepEqual(played.ended, ["a refused", "b passed"])
  })

  it("is given up at its bound, and not a millisecond before", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(50_000)
    played.ask("a", 20_000)
    await played.time.pass(9_000)
    // What others have signed without waiting, as operators may.
    played.budgets.count({ ...order, addressWeight: 2_400 })
    await played.time.pass(10_999)
    assert.deepEqual(played.ended, [])
    await played.time.pass(1)
    assert.deepEqual(played.ended, ["a refused"])
    assert.deepEqual(played.budgets.turns(), { due: [], nextInMs: undefined })
  })

  it("leaves the line at once when it is abandoned, by its token and id alone", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(40_000)
    played.ask("a", 30_000, { addressWeight: 2_400 })
    played.ask("b", 30_000)
    await played.time.pass(0)
    assert.equal(played.room.abandon({ token: "cs_b", id: "a" }), false)
    assert.equal(played.room.abandon({ token: "cs_a", id: "x" }), false)
    assert.equal(played.room.abandon({ token: "cs_a", id: "a" }), true)
    await played.time.pass(0)
    assert.deepEqual(played.ended, ["b refused", "a abandoned"])
    assert.equal(played.room.abandon({ token: "cs_a", id: "a" }), false)
  })

  it("waits no more once it was abandoned before it had to", async () => {
    const { room, ...played } = play()
    await spend({ room, ...played }, [2_400])
    const ticket = room.enter({ token: "cs_a", id: "a", ms: 30_000 })
    room.abandon({ token: "cs_a", id: "a" })
    const short = played.budgets.shortage(order)
    assert.ok(short)
    assert.equal(await ticket.wait(budgetExhausted(short, 0), order), "abandoned")
  })

  it("is judged anew at once where what it is judged by has changed, and keeps its place", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(50_000)
    const ticket = played.room.enter({ token: "cs_a", id: "frozen", ms: 30_000 })
    const short = played.budgets.shortage(order)
    assert.ok(short)
    const woken = ticket.wait(budgetExhausted(short, 0), order)
    played.ask("next", 30_000)
    played.room.reconsider()
    assert.equal(await woken, "again")
    ticket.leave()
    await played.time.pass(9_499)
    assert.deepEqual(played.ended, [])
    await played.time.pass(1)
    assert.deepEqual(played.ended, ["next passed"])
  })

  it("waits for nothing but room, and for none that never comes", async () => {
    const { room } = play()
    const ticket = room.enter({ token: "cs_a", id: "a", ms: 30_000 })
    const refusals: readonly Refusal[] = [
      { code: "signer_pace", message: "", data: { retry_after_ms: 1 } },
      { code: "unknown_record", message: "", data: null },
      budgetExhausted(
        { scope: "ip", max: 1, used: 1, kept: 1, asked: 1, retryAfterMs: undefined },
        0,
      ),
    ]
    for (const refusal of refusals) assert.equal(await ticket.wait(refusal, order), "refused")
  })

  it("finds room for so many of a client, and so many in all", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(50_000)
    const clients = Array.from({ length: 5 }, (_, index) => `client-${index}`)
    const each = Array.from({ length: maxWaiting.ofClient + 1 }, (_, index) => index)
    for (const client of clients) {
      for (const index of each) played.ask(`${client}/${index}`, 30_000, { client })
    }
    await played.time.pass(0)
    const refusedOf = (client: string) =>
      played.ended.filter((what) => what.startsWith(`${client}/`)).length
    assert.deepEqual(clients.map(refusedOf), [1, 1, 1, 1, each.length])
    assert.equal(maxWaiting.ofClient * 4, maxWaiting.inAll)
    await played.time.pass(9_500)
    assert.equal(played.ended.filter((what) => what.endsWith("passed")).length, maxWaiting.inAll)
  })

  it("waits no more when the room is closed, nor does one that comes later", async () => {
    const played = play()
    await spend(played, [2_400])
    await played.time.pass(50_000)
    played.ask("a", 30_000)
    await played.time.pass(0)
    played.room.end()
    await played.time.pass(0)
    played.ask("b", 30_000)
    await played.time.pass(0)
    assert.deepEqual(played.ended, ["a refused", "b refused"])
  })
})
