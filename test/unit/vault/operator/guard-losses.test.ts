import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { guardedAccount } from "../../../support/guarded-account.ts"
import { openLosing } from "../../../support/losing-vault.ts"

const hourMs = 3_600_000

const daily = "daily_loss: {max: 500, zone: UTC}"

describe("a guard on losses", () => {
  it("opens nothing before a reading says what the account is worth", async (t) => {
    const { ask, readEmpty } = await openLosing(t, daily, guardedAccount)
    assert.equal((await ask({}))?.code, "guard_unreadable")
    await readEmpty()
    const refusal = await ask({})
    assert.equal(refusal?.code, "guard_unreadable")
    assert.equal(refusal.data.why, "no_equity")
  })

  it("has room for what may be lost at once, and says by what", async (t) => {
    const { ask, read, clock } = await openLosing(t, daily)
    await read("10000")
    await read("9600")
    // 0.01 BTC above the reference price, and the fee.
    const refusal = await ask({ price: "80000", quantity: "0.01" })
    assert.equal(refusal?.code, "guard_exceeded")
    const { kind, measured, in_flight, from, equity, max } = refusal.data
    assert.deepEqual(
      { kind, measured, in_flight, from, equity, max },
      {
        ...{ kind: "daily_loss", measured: "400", in_flight: "0" },
        ...{ from: "10000", equity: "9600", max: "500" },
      },
    )
    assert.equal(await ask({ price: "50000", quantity: "0.01" }), null)
    clock.pass(11_000) // a reading that shows nothing to reduce isn't believed for longer
    assert.equal(await ask({ price: "80000", quantity: "0.01", flags: ["reduce_only"] }), null)
  })

  it("trips when a reading shows more, for the rest of the day, whatever comes", async (t) => {
    const { ask, read, guards, clock } = await openLosing(t, daily)
    await read("10000")
    await read("9500")
    await read("9500")
    assert.equal((await ask({}))?.code, "guard_exceeded", "what equals it is no trip")
    await read("9499")
    const trip = await ask({})
    assert.equal(trip?.code, "guard_tripped")
    await read("10000")
    assert.deepEqual(await ask({}), trip)
    assert.equal((await guards())[0]?.tripped_at, trip.data.since)
    clock.pass(11_000)
    assert.equal(await ask({ flags: ["reduce_only"] }), null)
    await read("10000", 24 * hourMs)
    assert.equal(await ask({ price: "50000", quantity: "0.001" }), null)
  })

  it("counts what was lost before a start as before it", async (t) => {
    const { read, readTwice, reopen, guards } = await openLosing(t, daily)
    await read("10000")
    await readTwice("9700")
    await reopen()
    await read("9700")
    assert.equal((await guards())[0]?.measured, "300")
  })

  it("that has tripped stands so after a start", async (t) => {
    const { read, readTwice, reopen, guards } = await openLosing(t, daily)
    await read("10000")
    await readTwice("9499")
    const tripped = (await guards())[0]?.tripped_at
    assert.ok(tripped)
    await reopen()
    assert.equal((await guards())[0]?.tripped_at, tripped)
  })

  it("that refuses alone opens again once a reading shows less", async (t) => {
    const { ask, read } = await openLosing(t, `${daily}, then: refuse`)
    await read("10000")
    await read("9000")
    assert.equal((await ask({}))?.code, "guard_exceeded")
    for (const equity of ["9080", "9160", "9240", "9320", "9400", "9490", "9580"])
      await read(equity)
    assert.equal(await ask({ price: "50000", quantity: "0.001" }), null)
  })

  it("freezes the keys at the second reading in a row, and not for one that is garbled", async (t) => {
    const { read, readTwice, frozen } = await openLosing(t, "drawdown: {max: 5%}, then: freeze")
    await read("10000")
    await readTwice("9500")
    await read("9490")
    await read("9500")
    await read("9499")
    assert.deepEqual(frozen(), [])
    await read("9499")
    assert.deepEqual(frozen(), [["key", "mm", "guards/bot/day"]])
  })

  it("trips by no equity that trading doesn't explain until the next reading doesn't either", async (t) => {
    const { ask, read, guards } = await openLosing(t, daily)
    const measured = async () => (await guards())[0]?.measured
    await read("10000")
    await read("1")
    assert.equal((await ask({}))?.code, "guard_exceeded")
    await read("10000")
    assert.equal(await measured(), "0")
    await read("1000000")
    assert.equal(await measured(), "0")
    await read("9990")
    assert.equal(await measured(), "10")
    await read("1")
    await read("2")
    assert.equal((await ask({}))?.code, "guard_tripped")
  })

  it("takes a rise that trading can't explain for a deposit, which buys no room", async (t) => {
    const { read, readTwice, guards } = await openLosing(t, daily)
    const measured = async () => (await guards())[0]?.measured
    await read("10000")
    await readTwice("9600")
    await read("9696")
    assert.equal(await measured(), "304", "1 % is profit")
    await readTwice("20000")
    assert.equal(await measured(), "304")
    await read("19900")
    assert.equal(await measured(), "404")
  })

  it("doesn't believe a reading that is too old", async (t) => {
    const { ask, read, clock } = await openLosing(t, daily)
    await read("10000")
    clock.pass(60_000)
    assert.equal(await ask({ price: "50000", quantity: "0.001" }), null)
    clock.pass(1)
    const refusal = await ask({ price: "50000", quantity: "0.001" })
    assert.deepEqual(refusal?.code === "guard_unreadable" && refusal.data.why, "reading_old")
  })

  it("is told with why it can't tell the loss, and with nothing where it can", async (t) => {
    const { read, clock, guards } = await openLosing(t, daily)
    const why = async () => (await guards())[0]?.loss_unknown
    assert.equal(await why(), "no_equity")
    await read("10000")
    assert.equal(await why(), null)
    clock.pass(60_001)
    assert.equal(await why(), "reading_old")
  })
})

describe("a person", () => {
  const why = { reason: "checked" }

  it("lets an account lose more for a while by re-arming its guard, for its day at the most", async (t) => {
    const { ask, read, readTwice, test, guards } = await openLosing(t, daily)
    await read("10000")
    await readTwice("9400")
    assert.equal((await ask({}))?.code, "guard_tripped")
    assert.equal((await guards())[0]?.rearmed_until, null)
    const rearm = { guard: "day", allow: "200", forMs: 48 * hourMs, ...why }
    const { max, until } = await test().admin.rearmGuard(rearm)
    assert.equal(max, "800")
    assert.equal(until % (24 * hourMs), 0)
    assert.equal((await guards())[0]?.rearmed_until, until)
    assert.equal(await ask({ price: "50000", quantity: "0.001" }), null)
    await readTwice("9200")
    assert.equal((await ask({}))?.code, "guard_exceeded")
    await read("9199")
    assert.equal((await ask({}))?.code, "guard_tripped")
  })

  it("has losses counted from what was shown, which ends what has tripped", async (t) => {
    const { ask, read, readTwice, test, guards } = await openLosing(t, "drawdown: {max: 5%}")
    await read("10000")
    await readTwice("9000")
    const shown = await test().admin.anchorAccount({ account: "main", ...why })
    assert.deepEqual([shown.equity, shown.isAnchored], ["9000", false])
    await read("8900")
    const far = { account: "main", agreed: "8000", ...why }
    assert.equal((await test().admin.anchorAccount(far)).isAnchored, false)
    const near = { account: "main", agreed: "9000", ...why }
    assert.equal((await test().admin.anchorAccount(near)).isAnchored, false, "over 1 % off")
    assert.equal((await ask({}))?.code, "guard_tripped")
    const done = await test().admin.anchorAccount({ account: "main", agreed: "8900", ...why })
    assert.ok(done.isAnchored)
    assert.equal((await guards())[0]?.measured, "0")
    assert.equal(await ask({ price: "50000", quantity: "0.001" }), null)
  })

  it("says what was paid out, so that it is no loss", async (t) => {
    const { read, readTwice, test, guards } = await openLosing(t, "drawdown: {max: 50%}")
    await read("10000")
    await readTwice("7000")
    const out = { account: "main", direction: "out", amount: "2900", ...why } as const
    await test().admin.tellFlow(out)
    assert.equal((await guards())[0]?.measured, "100")
    await read("7000")
    assert.equal((await guards())[0]?.measured, "100")
    await test().admin.tellFlow({ ...out, direction: "in", amount: "50" })
    assert.equal((await guards())[0]?.measured, "150")
  })

  it("is told which guards and accounts there are", async (t) => {
    const { test, read } = await openLosing(t, daily)
    const rearm = { allow: "1", forMs: hourMs, ...why }
    const { rearmGuard, anchorAccount } = test().admin
    await assert.rejects(rearmGuard({ guard: "night", ...rearm }), /No guard named night/)
    await assert.rejects(rearmGuard({ guard: "day", ...rearm }), /isn't known now/)
    await assert.rejects(anchorAccount({ account: "other", ...why }), /it has main/)
    await assert.rejects(anchorAccount({ account: "main", ...why }), /isn't known now/)
    await read("10000")
    await assert.rejects(rearmGuard({ guard: "day", ...rearm, allow: "-1" }), /a decimal/)
  })
})
