import { describe, it, type TestContext } from "node:test"

import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { byCount, byNotional, limitedPolicy, openLimited } from "../../../support/limited-vault.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  writePolicies,
  type TestVault,
} from "../../../support/open-test-vault.ts"

import assert from "node:assert/strict"

type Limited = { readonly test: TestVault; readonly bots: readonly string[] }

/** Signs as often as there is room. Returns how often. */
async function signAll({ test, bots }: Limited): Promise<number> {
  for (let signed = 0; signed < 100; signed++) {
    const answer = await test.sign(bots[0] ?? "", limitOrder())
    if (outcomeOf(answer) === "limit_exhausted") return signed
    assertSigned(answer)
  }
  return Infinity
}

async function limitsOf({ test }: Limited, token: string) {
  const known = await test.bots.limits({ token })
  assert.ok(known.kind === "answer")
  return known.limits
}

describe("raising a limit", () => {
  type Changes = Partial<Parameters<TestVault["admin"]["raiseLimit"]>[0]>
  const ask = ({ test }: Limited, changes: Changes) =>
    test.admin.raiseLimit({ limit: "cap", to: "12", forMs: 1_000, reason: "a test", ...changes })
  const raise = async (opened: Limited, changes: Changes) => {
    const answer = await ask(opened, changes)
    assert.ok("until" in answer)
    return answer
  }

  it("gives as much more until it ends by itself", async (t) => {
    const clock = fakeClock()
    const opened = await openLimited(t, { limit: byCount, clock })
    assert.equal(await signAll(opened), 10)
    const beforeMs = opened.test.vault.now()
    const { until, ...raised } = await raise(opened, { forMs: 5_000 })
    assert.deepEqual(raised, { limit: "cap", to: "12" })
    assert.ok(until >= beforeMs + 5_000)
    const [use] = await opened.test.admin.listLimits()
    assert.deepEqual([use?.used, use?.max], ["10", "12"])
    assert.equal(await signAll(opened), 2)
    clock.pass(6_000)
    assert.equal(await signAll(opened), 0)
  })

  it("ends at its time, to the millisecond", async (t) => {
    const clock = fakeClock()
    const opened = await openLimited(t, { limit: byCount, clock })
    await signAll(opened)
    const { until } = await raise(opened, { forMs: 5_000 })
    const signAt = (nowMs: number) => {
      clock.pass(nowMs - clock.nowMs())
      return opened.test.sign(opened.bots[0] ?? "", limitOrder())
    }
    assert.equal(outcomeOf(await signAt(until - 1)), "signed")
    assert.equal(outcomeOf(await signAt(until)), "limit_exhausted")
  })

  it("goes on after a restart, for as long as it was meant", async (t) => {
    const { test, bots } = await openLimited(t, { limit: byCount, keys: "on_disk" })
    await signAll({ test, bots })
    await raise({ test, bots }, { forMs: 60_000 })
    const again = await test.reopen()
    t.after(() => again.remove())
    assert.equal(await signAll({ test: again, bots }), 2)
  })

  it("takes a limit's name alone, or after its policy's where two have it", async (t) => {
    const other = limitedPolicy(byCount).replace("policy: limited", "policy: other")
    const test = await openTestVault({ policies: [limitedPolicy(byCount), other] })
    t.after(() => test.remove())
    const maxima = async () => (await test.admin.listLimits()).map(({ max }) => max)
    await raise({ test, bots: [] }, { limit: "other/cap" })
    assert.deepEqual(await maxima(), ["10", "12"])
    await raise({ test, bots: [] }, { to: "11" })
    assert.deepEqual(await maxima(), ["11", "11"])
  })

  it("isn't for a limit that comes into force later under the same name", async (t) => {
    const test = await openTestVault({ policies: [limitedPolicy(byCount)] })
    t.after(() => test.remove())
    await raise({ test, bots: [] }, { forMs: 60_000 })
    const other = limitedPolicy(byCount).replace("policy: limited", "policy: other")
    await writePolicies(test.installation, [limitedPolicy(byCount), other])
    await reload(test.vault)
    const uses = await test.admin.listLimits()
    assert.deepEqual(
      uses.map(({ policy, max }) => [policy, max]),
      [
        ["limited", "12"],
        ["other", "10"],
      ],
    )
  })

  for (const [what, changes, code] of [
    ["what is no more than the policy allows", { to: "10" }, "usage"],
    ["less", { to: "9.99" }, "usage"],
    ["what is no number", { to: "many" }, "usage"],
    ["a limit that is unknown", { limit: "cup" }, "name_unknown"],
    ["a limit of another policy", { limit: "open/cap" }, "name_unknown"],
  ] as const) {
    it(`refuses ${what}`, async (t) => {
      const opened = await openLimited(t, { limit: byCount })
      await assert.rejects(raise(opened, changes), { code })
      assert.deepEqual(opened.test.vault.active().raises, [])
    })
  }

  it("takes the place of an earlier one, for good", async (t) => {
    const clock = fakeClock()
    const opened = await openLimited(t, { limit: byCount, clock })
    await raise(opened, { to: "50", forMs: 3_600_000 })
    await raise(opened, { to: "12", forMs: 5_000 })
    assert.equal(await signAll(opened), 12)
    clock.pass(6_000)
    assert.deepEqual(await opened.test.admin.listRaises(), [])
    assert.equal((await opened.test.admin.listLimits())[0]?.max, "10")
    assert.equal(await signAll(opened), 0)
  })

  it("is ended by hand, for good, and is named until then", async (t) => {
    const opened = await openLimited(t, { limit: byCount, keys: "on_disk" })
    const { until } = await raise(opened, { forMs: 60_000 })
    const { admin } = opened.test
    assert.deepEqual(await admin.listRaises(), [
      { limit: "limited/cap", to: "12", until, max: "10" },
    ])
    assert.deepEqual(await admin.endRaise({ limit: "cap" }), { limits: ["limited/cap"] })
    assert.deepEqual(await admin.listRaises(), [])
    assert.equal(await signAll(opened), 10)
    await assert.rejects(admin.endRaise({ limit: "cap" }), { code: "name_unknown" })
    const again = await opened.test.reopen()
    t.after(() => again.remove())
    assert.deepEqual(again.vault.active().raises, [])
  })

  it("is ended by its full name alone where another policy's limit is raised too", async (t) => {
    const other = limitedPolicy(byCount).replace("policy: limited", "policy: other")
    const test = await openTestVault({ policies: [limitedPolicy(byCount), other] })
    t.after(() => test.remove())
    await raise({ test, bots: [] }, { forMs: 60_000 })
    assert.deepEqual(await test.admin.endRaise({ limit: "other/cap" }), { limits: ["other/cap"] })
    assert.deepEqual(
      (await test.admin.listRaises()).map(({ limit }) => limit),
      ["limited/cap"],
    )
  })

  it("stands on, and can be ended, where the files have lost its limit", async (t) => {
    const opened = await openLimited(t, { limit: byCount })
    await raise(opened, { forMs: 60_000 })
    const { test } = opened
    await writePolicies(test.installation, [limitedPolicy(byCount.replace("cap", "cup"))])
    await reload(test.vault)
    assert.deepEqual(
      (await test.admin.listRaises()).map(({ max }) => max),
      [null],
    )
    assert.deepEqual(await test.admin.endRaise({ limit: "cap" }), { limits: ["limited/cap"] })
  })

  for (const [what, changes, question] of [
    ["ten times as much for 7 days", { to: "100", forMs: 7 * 86_400_000 }, undefined],
    [
      "over ten times as much",
      { to: "100.1" },
      /files allow 10 .* 100\.1, over 10 times as much\?/,
    ],
    ["for over 7 days", { forMs: 7 * 86_400_000 + 1 }, /raise it to 12, for over 7 days\?$/],
  ] as const) {
    it(`${question === undefined ? "doesn't ask" : "asks"} about ${what}`, async (t) => {
      const opened = await openLimited(t, { limit: byCount })
      const answer = await ask(opened, changes)
      assert.equal("question" in answer, question !== undefined)
      if (question === undefined || !("question" in answer)) return
      assert.match(answer.question, question)
      assert.deepEqual(await opened.test.admin.listRaises(), [])
      await raise(opened, { ...changes, agreed: answer.question })
    })
  }

  it("asks anew where what was agreed to is another by now", async (t) => {
    const opened = await openLimited(t, { limit: byCount })
    const asked = await ask(opened, { to: "101" })
    assert.ok("question" in asked)
    await writePolicies(opened.test.installation, [limitedPolicy(byCount.replace("10", "9"))])
    await reload(opened.test.vault)
    assert.ok("question" in (await ask(opened, { to: "101", agreed: asked.question })))
    assert.deepEqual(await opened.test.admin.listRaises(), [])
  })

  it("takes the least more there is", async (t) => {
    const opened = await openLimited(t, { limit: byNotional })
    await raise(opened, { to: "63000.00000001" })
    assert.equal((await opened.test.admin.listLimits())[0]?.max, "63000.00000001")
  })
})

describe("what a bot sees of the limits", () => {
  async function openTwo(t: TestContext, limit: string): Promise<Limited> {
    const opened = await openLimited(t, { limit, clients: 2 })
    await signAll(opened)
    return opened
  }

  it("is its own part of one per client, also before it used anything", async (t) => {
    const opened = await openTwo(t, byCount.replace("}", ", per: client}"))
    const [first = "", second = ""] = opened.bots
    const own = (await limitsOf(opened, first)).map(({ for: who, used }) => [who, used])
    assert.deepEqual(own, [["bot0", "10"]])
    const others = (await limitsOf(opened, second)).map(({ for: who, used }) => [who, used])
    assert.deepEqual(others, [["", "0"]])
  })

  it("is all that is used of one for all", async (t) => {
    const opened = await openTwo(t, byCount)
    const [use, ...more] = await limitsOf(opened, opened.bots[1] ?? "")
    assert.deepEqual([use?.for, use?.used, use?.max, more], ["", "10", "10", []])
  })

  it("is nothing of a policy that is for another client", async (t) => {
    const opened = await openTwo(t, `${byCount}\napplies_to: {clients: [bot0]}`)
    assert.equal((await limitsOf(opened, opened.bots[0] ?? "")).length, 1)
    assert.deepEqual(await limitsOf(opened, opened.bots[1] ?? ""), [])
  })

  it("is nothing without a good token", async (t) => {
    const { test } = await openLimited(t, { limit: byCount })
    const known = await test.bots.limits({ token: `cs_${"A".repeat(43)}` })
    assert.equal(outcomeOf(known), "unauthorized")
  })
})

describe("checking a request against limits", () => {
  it("tells the headroom of each, and counts nothing", async (t) => {
    const { test, bots } = await openLimited(t, {
      limit: `${byNotional}\n  - ${byCount.replace("cap", "few")}`,
    })
    for (let times = 0; times < 20; times++) {
      const checked = test.check(bots[0] ?? "", limitOrder())
      assert.ok(checked.kind === "answer")
      const { would_sign: wouldSign, limits } = checked.report
      assert.equal(wouldSign, true)
      assert.deepEqual(
        limits.map(({ used, asked, max, frees_at }) => [used, asked, max, frees_at]),
        [
          ["0", "6300", "63000", null],
          ["0", "1", "10", null],
        ],
      )
    }
    assert.deepEqual(
      (await test.admin.listLimits()).map(({ used }) => used),
      ["0", "0"],
    )
  })

  it("says that a spent one would refuse, and when it frees", async (t) => {
    const opened = await openLimited(t, { limit: byNotional })
    await signAll(opened)
    const checked = opened.test.check(opened.bots[0] ?? "", limitOrder())
    assert.ok(checked.kind === "answer")
    const { would_sign: wouldSign, refusal, limits } = checked.report
    assert.deepEqual([wouldSign, refusal?.code], [false, "limit_exhausted"])
    assert.equal(limits[0]?.used, "63000")
    assert.ok(Number(limits[0].frees_at) > opened.test.vault.now() + 3_500_000)
  })

  it("says of more than the limit at once that it never fits", async (t) => {
    const { test, bots } = await openLimited(t, { limit: byNotional })
    const checked = test.check(bots[0] ?? "", limitOrder({ quantity: "1.1" }))
    assert.ok(checked.kind === "answer")
    const { refusal } = checked.report
    assert.equal(refusal?.code, "limit_exhausted")
    assert.match(refusal.message, /it never allows that much at once/)
    assert.equal((refusal.data as { frees_at: unknown }).frees_at, null)
  })

  it("says that one that only observes would let it pass", async (t) => {
    const limit = byCount.replace("}", ", mode: observe}").replace("max: 10", "max: 1")
    const { test, bots } = await openLimited(t, { limit })
    assertSigned(await test.sign(bots[0] ?? "", limitOrder()))
    const checked = test.check(bots[0] ?? "", limitOrder())
    assert.ok(checked.kind === "answer" && checked.report.would_sign)
    assert.equal(checked.report.limits[0]?.mode, "observe")
  })
})
