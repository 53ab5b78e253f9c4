import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { createRateLimiter } from "../../../../src/sandbox/state/rate-limiter.ts"
import { openBudgets, type Budgets } from "../../../../src/vault/budgets/budgets.ts"
import {
  budgetExhausted,
  type Shortage,
  type Spending,
} from "../../../../src/vault/budgets/budget.ts"
import { fakeClock, startMs, type FakeClock } from "../../../support/fake-clock.ts"
import { otherSigner, signer } from "../../../support/ledger-ask.ts"
import { nothingKept, orderSpending as order } from "../../../support/spending.ts"

/** Of the address budget alone, so that its weights aren't stopped by the other. */
const byAddress: Spending = { ...order, terms: { ...nothingKept, ip: undefined } }
const byIp: Spending = { ...order, terms: { ...nothingKept, address: undefined } }
const cancel: Spending = { ...byAddress, lane: "cancel" }
const ipCancel: Spending = { ...byIp, lane: "cancel" }
/** A reduce-only order. */
const ipReducing: Spending = { ...byIp, lane: "reduce" }

function open(): { readonly clock: FakeClock; readonly budgets: Budgets } {
  const clock = fakeClock()
  return { clock, budgets: openBudgets(clock) }
}

/** Counts a request if there is room. */
function take(budgets: Budgets, spending: Spending): boolean {
  if (budgets.shortage(spending) !== undefined) return false
  budgets.count(spending)
  return true
}

/** How many of so many are let through. */
function takeMany(budgets: Budgets, spending: Spending, count: number): number {
  return Array.from({ length: count }, () => take(budgets, spending)).filter((each) => each).length
}

function waitMs(budgets: Budgets, spending: Spending): number | undefined {
  return budgets.shortage(spending)?.retryAfterMs
}

describe("the address budget", () => {
  it("holds 2,400 of weight, and not one more", () => {
    const { budgets } = open()
    assert.equal(takeMany(budgets, byAddress, 2_401), 2_400)
    assert.equal(takeMany(open().budgets, { ...byAddress, addressWeight: 40 }, 61), 60)
    const other = open().budgets
    budgets.count(byAddress)
    assert.ok(take(other, { ...byAddress, addressWeight: 2_399 }))
    assert.ok(!take(other, { ...byAddress, addressWeight: 2 }))
    assert.ok(take(other, byAddress))
  })

  it("is each address's own", () => {
    const { budgets } = open()
    takeMany(budgets, byAddress, 2_400)
    assert.ok(take(budgets, { ...byAddress, address: otherSigner }))
  })

  it("has room again 60.5 s after each weight, and not a millisecond before", () => {
    const { budgets, clock } = open()
    take(budgets, { ...byAddress, addressWeight: 2_000 })
    clock.pass(1_000)
    take(budgets, { ...byAddress, addressWeight: 400 })
    assert.equal(waitMs(budgets, byAddress), 59_500)
    assert.equal(waitMs(budgets, { ...byAddress, addressWeight: 2_001 }), 60_500)
    clock.pass(59_499)
    assert.equal(waitMs(budgets, byAddress), 1)
    clock.pass(1)
    assert.ok(take(budgets, { ...byAddress, addressWeight: 2_000 }))
    assert.ok(!take(budgets, byAddress))
    clock.pass(1_000)
    assert.ok(take(budgets, { ...byAddress, addressWeight: 400 }))
  })

  it("isn't moved by wall time", () => {
    const { budgets, clock } = open()
    takeMany(budgets, byAddress, 2_400)
    clock.setWall(startMs + 3_600_000)
    assert.ok(!take(budgets, byAddress))
  })

  it("is neither asked nor counted where it is off", () => {
    const { budgets } = open()
    assert.equal(takeMany(budgets, byIp, 1_200), 1_200)
    assert.ok(take(budgets, { ...byAddress, addressWeight: 2_400 }))
    assert.equal(
      takeMany(budgets, { ...order, terms: { address: undefined, ip: undefined } }, 9),
      9,
    )
  })
})

describe("the IP budget", () => {
  it("holds 1,200 requests of whatever address, and not one more", () => {
    const { budgets } = open()
    assert.equal(takeMany(budgets, byIp, 600), 600)
    assert.equal(takeMany(budgets, { ...byIp, address: otherSigner }, 601), 600)
    assert.equal(takeMany(budgets, order, 1), 0)
  })

  it("weighs a request as one, whatever it weighs for its address", () => {
    const { budgets } = open()
    const heavy = { ...byIp, addressWeight: 2_000 }
    assert.equal(takeMany(budgets, heavy, 1_201), 1_200)
  })

  it("keeps its reserve for what reduces risk, however much of that there was", () => {
    const { budgets } = open()
    const terms = { address: undefined, ip: { ...nothingKept.ip, keptForCancels: 60 } }
    assert.equal(takeMany(budgets, { ...ipCancel, terms }, 40), 40)
    assert.equal(takeMany(budgets, { ...byIp, terms }, 1_200), 1_100)
    assert.equal(takeMany(budgets, { ...ipCancel, terms }, 30), 30)
    assert.equal(takeMany(budgets, { ...ipReducing, terms }, 30), 30)
    assert.equal(budgets.stand("bot", terms.ip, undefined).used, 1_200)
  })

  it("is a host's up to its part of it: what all hosts of an IP have together is no more than all", () => {
    const parts = [33, 33, 34].map((percent) => (percent * 1_200) / 100)
    const used = parts.map((max) => {
      const terms = { address: undefined, ip: { ...nothingKept.ip, max, keptForCancels: 5 } }
      const { budgets } = open()
      assert.equal(takeMany(budgets, { ...byIp, terms }, 1_200), max - 5)
      assert.equal(takeMany(budgets, { ...ipCancel, terms }, 5), 5)
      const { used: all, left, max: most } = budgets.stand("bot", terms.ip, undefined)
      assert.deepEqual([all, left, most], [max, 0, max])
      return all
    })
    assert.deepEqual(used, [396, 396, 408])
  })

  it("stops what the address budget would let through, and nothing is taken then", () => {
    const { budgets, clock } = open()
    takeMany(budgets, byIp, 1_200)
    assert.equal(budgets.shortage(order)?.scope, "ip")
    assert.ok(!take(budgets, order))
    clock.pass(60_500)
    assert.equal(takeMany(budgets, byAddress, 2_401), 2_400)
  })

  it("is told where it has no room for longer than the address's", () => {
    const { budgets, clock } = open()
    takeMany(budgets, byAddress, 2_400)
    clock.pass(1)
    takeMany(budgets, byIp, 1_200)
    assert.equal(budgets.shortage(order)?.scope, "ip")
    const turned = open()
    takeMany(turned.budgets, byIp, 1_200)
    turned.clock.pass(1)
    takeMany(turned.budgets, byAddress, 2_400)
    assert.equal(turned.budgets.shortage(order)?.scope, "address")
  })
})

describe("a share", () => {
  const terms = {
    ...nothingKept.address,
    keptFor: new Map([
      ["mm", 960],
      ["other", 240],
    ]),
  }
  const of = (client: string): Spending => ({
    ...byAddress,
    client,
    terms: { address: terms, ip: undefined },
  })

  it("stays free for its client, and what nobody was promised is everyone's", () => {
    const { budgets } = open()
    assert.equal(takeMany(budgets, of("bot"), 2_400), 1_200)
    assert.equal(takeMany(budgets, of("mm"), 2_400), 960)
    assert.equal(takeMany(budgets, of("other"), 2_400), 240)
  })

  it("isn't kept twice: what its client used of it is used", () => {
    const { budgets } = open()
    takeMany(budgets, of("mm"), 900)
    assert.equal(takeMany(budgets, of("bot"), 2_400), 1_200)
    assert.equal(takeMany(budgets, of("mm"), 2_400), 60)
  })

  it("is no limit for its client", () => {
    const { budgets } = open()
    assert.equal(takeMany(budgets, of("mm"), 2_400), 2_160)
  })

  it("is free again for its client as what that used moves out of the window", () => {
    const { budgets, clock } = open()
    takeMany(budgets, of("mm"), 960)
    clock.pass(30_000)
    assert.equal(takeMany(budgets, of("bot"), 2_400), 1_200)
    clock.pass(30_500)
    assert.equal(takeMany(budgets, of("bot"), 1), 0)
    assert.equal(takeMany(budgets, of("mm"), 2_400), 960)
  })

  it("never leaves others room for more than isn't promised", () => {
    const { budgets } = open()
    const room = (addressWeight: number) => budgets.shortage({ ...of("bot"), addressWeight })
    assert.equal(room(1_200), undefined)
    const never = room(1_201)
    assert.ok(never)
    assert.deepEqual([never.kept, never.retryAfterMs], [1_200, undefined])
  })

  it("isn't kept from what reduces risk, of either budget", () => {
    const { budgets } = open()
    const reducing: Spending = { ...of("bot"), lane: "reduce" }
    assert.equal(takeMany(budgets, of("bot"), 2_400), 1_200)
    assert.equal(takeMany(budgets, reducing, 2_400), 1_200)
    const ofIp = {
      address: undefined,
      ip: { ...nothingKept.ip, keptFor: new Map([["mm", 1_080]]), keptForCancels: 60 },
    }
    assert.equal(takeMany(budgets, { ...byIp, terms: ofIp }, 1_200), 60)
    assert.equal(takeMany(budgets, { ...ipReducing, terms: ofIp }, 1_140), 1_140)
    assert.equal(budgets.stand("bot", nothingKept.ip, undefined).used, 1_200)
  })

  it("is told with when it has room: only when enough of one's own has moved on", () => {
    const { budgets, clock } = open()
    takeMany(budgets, of("mm"), 500)
    clock.pass(100)
    takeMany(budgets, of("bot"), 1_200)
    assert.equal(waitMs(budgets, of("bot")), 60_500)
    clock.pass(60_400)
    assert.equal(waitMs(budgets, of("bot")), 100)
  })
})

/**
 * When two clients of a spent address had a cancel signed, within 55 s: one that asks every 20 ms, and one that asks
 * when `Retry-After` tells it to, then for the next at once. The venue takes all of them.
 */
function shareReserve() {
  const { clock, budgets } = open()
  const limiter = createRateLimiter()
  const sendAs = (client: string, spending: Spending): boolean => {
    if (budgets.ask({ ...spending, client }) !== undefined) return false
    budgets.count({ ...spending, client })
    const isCancel = spending.lane === "cancel"
    const sent = { ...spending, isCancel, ip: "here", ipWeight: 0, nowMs: clock.monotonicMs() }
    assert.ok(limiter.take(sent).ok, "the venue takes it")
    return true
  }
  sendAs("greedy", { ...byAddress, addressWeight: 2_400 })
  const [byGreedy, byModest]: [number[], number[]] = [[], []]
  let modestAtMs = clock.monotonicMs() + 700
  const endMs = clock.monotonicMs() + 55_000
  for (let nowMs = clock.monotonicMs(); nowMs < endMs; nowMs = clock.monotonicMs()) {
    if (sendAs("greedy", cancel)) byGreedy.push(nowMs)
    if (nowMs >= modestAtMs) {
      const inMs = waitMs(budgets, { ...cancel, client: "modest" }) ?? 0
      if (sendAs("modest", cancel)) byModest.push(nowMs)
      modestAtMs = nowMs + Math.ceil(inMs / 1_000) * 1_000
    }
    clock.pass(20)
  }
  return { byGreedy, byModest }
}

function gapsOf(times: readonly number[]): readonly number[] {
  return times.slice(1).map((ms, index) => ms - (times[index] ?? 0))
}

describe("the venue's reserve", () => {
  const spend = (budgets: Budgets) => takeMany(budgets, byAddress, 2_400)

  it("lets a cancel of a spent address through, once in 1,100 ms", () => {
    const { budgets, clock } = open()
    spend(budgets)
    assert.ok(take(budgets, cancel))
    assert.equal(waitMs(budgets, cancel), 1_100)
    clock.pass(1_099)
    assert.ok(!take(budgets, cancel))
    clock.pass(1)
    assert.ok(take(budgets, cancel))
  })

  it("is for nothing but cancels", () => {
    const { budgets } = open()
    spend(budgets)
    assert.ok(!take(budgets, byAddress))
    assert.ok(!take(budgets, { ...byAddress, lane: "reduce" }))
  })

  it("isn't touched while the budget has room", () => {
    const { budgets } = open()
    assert.equal(takeMany(budgets, cancel, 2_401), 2_401)
    assert.equal(takeMany(budgets, cancel, 1), 0)
  })

  it("is each address's own", () => {
    const { budgets } = open()
    spend(budgets)
    takeMany(budgets, { ...byAddress, address: otherSigner }, 2_400)
    assert.ok(take(budgets, cancel))
    assert.ok(take(budgets, { ...cancel, address: otherSigner }))
  })

  it("is left to a client that was refused it, once; and not to one that only checked", () => {
    const greedy = { ...cancel, client: "greedy" }
    const told = (look: "ask" | "shortage") => {
      const { budgets } = open()
      spend(budgets)
      budgets.count(greedy)
      assert.equal(budgets[look](cancel)?.retryAfterMs, 1_100)
      return waitMs(budgets, greedy)
    }
    assert.deepEqual([told("ask"), told("shortage")], [2_200, 1_100])
  })

  it("is left to a client whose repeat was refused it", () => {
    const { budgets } = open()
    spend(budgets)
    budgets.count({ ...cancel, client: "greedy" })
    assert.equal(budgets.countRepeat("rec_1", cancel)?.retryAfterMs, 1_100)
    assert.equal(waitMs(budgets, { ...cancel, client: "greedy" }), 2_200)
  })

  it("is left on one address to nobody who waits for another's", () => {
    const { budgets } = open()
    const elsewhere = { address: otherSigner }
    spend(budgets)
    takeMany(budgets, { ...byAddress, ...elsewhere }, 2_400)
    for (const each of [{}, elsewhere]) budgets.count({ ...cancel, ...each, client: "greedy" })
    assert.ok(budgets.ask(cancel))
    assert.equal(waitMs(budgets, { ...cancel, ...elsewhere, client: "greedy" }), 1_100)
  })

  it("is shared with a neighbour that asks 50 times a second", () => {
    const { byGreedy, byModest } = shareReserve()
    assert.ok(
      Math.max(...gapsOf(byModest)) <= 3_200,
      "it takes its turns, by Retry-After in seconds",
    )
    assert.ok(Math.max(...gapsOf(byGreedy)) <= 3_300)
    assert.ok(byModest.length >= 17)
  })

  it("gives way to the budget where that has room sooner", () => {
    const { budgets, clock } = open()
    spend(budgets)
    clock.pass(60_000)
    take(budgets, cancel)
    assert.equal(waitMs(budgets, cancel), 500)
  })

  it("pays what the venue surely has no room for, so that it takes none of the window", () => {
    const { budgets, clock } = open()
    spend(budgets)
    take(budgets, { ...cancel, addressWeight: 100 })
    clock.pass(60_500)
    assert.ok(take(budgets, { ...byAddress, addressWeight: 2_400 }))
  })

  it("counts in the window where the venue may still have had room", () => {
    const { budgets, clock } = open()
    spend(budgets)
    clock.pass(59_500) // the venue may have 60 s behind it by now
    take(budgets, { ...cancel, addressWeight: 100 })
    clock.pass(1_000)
    assert.ok(!take(budgets, { ...byAddress, addressWeight: 2_301 }))
    assert.ok(take(budgets, { ...byAddress, addressWeight: 2_300 }))
  })
})

describe("the way past a spent IP budget", () => {
  const spend = (budgets: Budgets) => takeMany(budgets, byIp, 1_200)
  const used = (budgets: Budgets) => budgets.stand("bot", nothingKept.ip, undefined).used

  it("is open to what reduces risk, for each client once in 1,100 ms", () => {
    const { budgets, clock } = open()
    spend(budgets)
    assert.ok(!take(budgets, byIp))
    assert.ok(take(budgets, ipCancel))
    assert.equal(waitMs(budgets, ipCancel), 1_100)
    assert.equal(waitMs(budgets, { ...ipReducing, address: otherSigner }), 1_100)
    assert.ok(take(budgets, { ...ipReducing, client: "mm" }))
    clock.pass(1_099)
    assert.ok(!take(budgets, ipReducing))
    clock.pass(1)
    assert.ok(take(budgets, ipReducing))
    assert.ok(!take(budgets, ipCancel))
  })

  it("counts as used", () => {
    const { budgets, clock } = open()
    spend(budgets)
    take(budgets, ipCancel)
    assert.equal(used(budgets), 1_201)
    clock.pass(60_500)
    assert.equal(used(budgets), 0)
  })

  it("isn't taken while the budget has room, nor needed once it has", () => {
    const { budgets, clock } = open()
    assert.equal(takeMany(budgets, ipCancel, 1_201), 1_201)
    clock.pass(60_000)
    take(budgets, ipCancel)
    assert.equal(waitMs(budgets, ipCancel), 500)
  })

  it("asks for the address's reserve too", () => {
    const { budgets, clock } = open()
    spend(budgets)
    takeMany(budgets, byAddress, 2_400)
    const both: Spending = { ...order, lane: "cancel" }
    assert.ok(take(budgets, both))
    assert.equal(budgets.shortage({ ...both, client: "mm" })?.scope, "address")
    clock.pass(1_100)
    assert.ok(take(budgets, { ...both, client: "mm" }))
    assert.ok(!take(budgets, both))
    assert.equal(budgets.shortage({ ...order, lane: "reduce" })?.scope, "address")
  })

  it("leaves open whether the venue counts it for the address", () => {
    const { budgets, clock } = open()
    spend(budgets)
    take(budgets, { ...order, addressWeight: 2_400, lane: "reduce" })
    clock.pass(1_000)
    take(budgets, { ...cancel, addressWeight: 100 })
    clock.pass(59_500)
    assert.ok(!take(budgets, { ...byAddress, addressWeight: 2_301 }), "it had none of the reserve")
    assert.ok(take(budgets, { ...byAddress, addressWeight: 2_300 }))
  })
})

describe("a repeat", () => {
  const used = (budgets: Budgets) => budgets.stand("bot", nothingKept.ip, undefined).used

  it("of the same record counts once in 60.5 s, others' by themselves", () => {
    const { budgets, clock } = open()
    for (let count = 0; count < 9; count += 1) budgets.countRepeat("one", byIp)
    assert.equal(used(budgets), 1)
    budgets.countRepeat("other", byIp)
    assert.equal(used(budgets), 2)
    clock.pass(60_499)
    budgets.countRepeat("one", byIp)
    assert.equal(used(budgets), 2)
    clock.pass(1)
    assert.equal(used(budgets), 0)
    budgets.countRepeat("one", byIp)
    assert.equal(used(budgets), 1)
  })

  it("is refused where there is no room for it, and passes where it counts already", () => {
    const { budgets, clock } = open()
    budgets.countRepeat("early", byIp)
    takeMany(budgets, byIp, 1_199)
    assert.equal(budgets.countRepeat("early", byIp), undefined)
    assert.equal(budgets.countRepeat("late", byIp)?.scope, "ip")
    assert.equal(used(budgets), 1_200)
    clock.pass(60_500)
    assert.equal(budgets.countRepeat("late", byIp), undefined)
    assert.equal(used(budgets), 1)
  })
})

describe("a budget that the venue called spent", () => {
  it("stops nothing that reduces risk, but for an address's cancels, whose reserve is open", () => {
    const { budgets, clock } = open()
    takeMany(budgets, byIp, 1_000)
    budgets.fill("ip", signer)
    budgets.fill("address", signer)
    assert.ok(!take(budgets, byIp))
    assert.equal(takeMany(budgets, ipReducing, 100), 100)
    assert.equal(takeMany(budgets, ipCancel, 100), 100)
    assert.equal(takeMany(budgets, ipCancel, 9), 1, "by now it is used")
    assert.equal(takeMany(budgets, { ...byAddress, lane: "reduce" }, 2_401), 2_400)
    assert.equal(takeMany(budgets, cancel, 9), 1)
    clock.pass(60_500)
    assert.equal(takeMany(budgets, byIp, 1_201), 1_200)
  })

  it("is told with when what is really used leaves room to what reduces risk", () => {
    const { budgets, clock } = open()
    const reducing: Spending = { ...byAddress, lane: "reduce" }
    budgets.fill("address", signer)
    clock.pass(10_000)
    take(budgets, { ...reducing, addressWeight: 2_000 })
    assert.equal(waitMs(budgets, { ...reducing, addressWeight: 400 }), undefined)
    assert.equal(waitMs(budgets, { ...reducing, addressWeight: 401 }), 60_500)
  })

  it("leaves an address's cancels the reserve alone", () => {
    const { budgets } = open()
    budgets.fill("address", signer)
    assert.equal(takeMany(budgets, cancel, 9), 1)
  })

  it("makes uncertain what passes it, so that a cancel that the reserve pays counts too", () => {
    const { budgets, clock } = open()
    budgets.fill("address", signer)
    take(budgets, { ...byAddress, addressWeight: 2_400, lane: "reduce" })
    clock.pass(1_000)
    take(budgets, { ...cancel, addressWeight: 100 })
    clock.pass(59_500)
    assert.ok(!take(budgets, { ...byAddress, addressWeight: 2_301 }))
    assert.ok(take(budgets, { ...byAddress, addressWeight: 2_300 }))
  })

  it("is full until the window has moved on, and never counts less", () => {
    const { budgets, clock } = open()
    take(budgets, { ...byAddress, addressWeight: 1_000 })
    clock.pass(10_000)
    budgets.fill("address", signer)
    assert.ok(!take(budgets, byAddress))
    clock.pass(50_500)
    assert.equal(takeMany(budgets, byAddress, 2_400), 1_000)
    clock.pass(10_000)
    assert.equal(takeMany(budgets, byAddress, 2_400), 1_400)
  })

  it("is never more than full, however often it is called that", () => {
    const { budgets, clock } = open()
    for (let count = 0; count < 100; count += 1) budgets.fill("address", signer)
    clock.pass(60_500)
    assert.equal(takeMany(budgets, byAddress, 2_401), 2_400)
  })

  it("is the IP's or one address's", () => {
    const { budgets } = open()
    budgets.fill("ip", signer)
    assert.ok(!take(budgets, byIp))
    assert.ok(take(budgets, byAddress))
    budgets.fill("address", signer)
    assert.ok(!take(budgets, byAddress))
    assert.ok(take(budgets, { ...byAddress, address: otherSigner }))
    assert.ok(take(budgets, cancel), "the reserve is open")
  })
})

describe("what was asked for by a panic or an operator", () => {
  it("is let through a spent budget, and counted", () => {
    const { budgets, clock } = open()
    takeMany(budgets, order, 1_200)
    const forced = { ...order, addressWeight: 40, isForced: true } as const
    assert.equal(takeMany(budgets, forced, 40), 40)
    const stand = budgets.stand("bot", nothingKept.address, signer)
    assert.deepEqual([stand.used, stand.left], [2_800, 0])
    clock.pass(60_500)
    assert.equal(takeMany(budgets, order, 1_201), 1_200)
  })
})

describe("what was counted before a start", () => {
  it("counts for what is left of its time, and not for longer if it lies ahead", () => {
    const { budgets, clock } = open()
    budgets.countEarlier({ ...order, addressWeight: 2_000 }, 60_000)
    budgets.countEarlier({ ...order, addressWeight: 400 }, -5_000)
    assert.equal(waitMs(budgets, byAddress), 500)
    assert.equal(budgets.stand("bot", nothingKept.ip, undefined).used, 2)
    clock.pass(500)
    assert.equal(takeMany(budgets, byAddress, 2_001), 2_000)
    clock.pass(60_000)
    assert.equal(takeMany(budgets, byAddress, 401), 400)
  })

  it("may be older than the window", () => {
    const { budgets } = open()
    budgets.countEarlier({ ...byAddress, addressWeight: 2_400 }, 60_500)
    assert.ok(take(budgets, byAddress))
  })
})

describe("how a budget stands", () => {
  it("is told with one's own part and what is left beside what is kept for others", () => {
    const { budgets } = open()
    take(budgets, { ...order, addressWeight: 100 })
    take(budgets, { ...order, client: "mm", addressWeight: 10 })
    const kept = { keptFor: new Map([["mm", 240]]), keptForCancels: 60 }
    assert.deepEqual(budgets.stand("bot", { ...nothingKept.address, ...kept }, signer), {
      max: 2_400,
      used: 110,
      own: 100,
      left: 2_400 - 110 - 230 - 60,
      freesInMs: 60_500,
    })
    assert.deepEqual(budgets.stand("mm", { ...nothingKept.ip, ...kept }, undefined), {
      max: 1_200,
      used: 2,
      own: 1,
      left: 1_200 - 2 - 60,
      freesInMs: 60_500,
    })
  })
})

describe("the refusal", () => {
  const short: Shortage = {
    scope: "address",
    max: 2_400,
    used: 2_400,
    kept: 0,
    asked: 1,
    retryAfterMs: 250,
  }

  it("has the venue's code and scope, and says when to come back", () => {
    const { code, data } = budgetExhausted(short, startMs)
    assert.equal(code, "10029")
    assert.deepEqual(data, {
      scope: "address",
      max: 2_400,
      used: 2_400,
      kept: 0,
      asked: 1,
      frees_at: startMs + 250,
      retry_after_ms: 250,
    })
  })

  it("says so where no waiting helps", () => {
    const { message, data } = budgetExhausted({ ...short, retryAfterMs: undefined }, startMs)
    assert.match(message, /never leaves it that much/)
    assert.deepEqual(data, { ...data, frees_at: null, retry_after_ms: null })
  })

  it("has one sentence for all that come while a budget is spent", () => {
    const later = { ...short, retryAfterMs: 100, used: 2_399, asked: 2 }
    assert.equal(budgetExhausted(later, startMs).message, budgetExhausted(short, startMs).message)
    assert.match(
      budgetExhausted({ ...short, scope: "ip" }, startMs).message,
      /^Rate limit exceeded: the IP/,
    )
  })
})
