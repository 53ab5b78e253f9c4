import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Outcome } from "../../src/link/calls/both-ways.ts"
import { askAll, byCount, byNotional, openLimited, split } from "../support/limited-vault.ts"
import { limitOrder, outcomeOf, type TestVault } from "../support/open-test-vault.ts"
import { numRuns } from "../support/runs.ts"

describe("a gate that says the venue refused", () => {
  const outcomes: readonly Outcome[] = [
    { kind: "sent" },
    { kind: "refused", status: 400, code: "10001" },
  ]

  /** Signs until a limit refuses, and lies about each. Returns how many were signed. */
  async function signAndLie(test: TestVault, token: string): Promise<number> {
    for (let signed = 0; signed < 50; signed++) {
      const answer = await test.sign(token, limitOrder(), { purpose: "forward" })
      if (answer.kind === "refused") {
        assert.equal(answer.refusal.code, "limit_exhausted")
        return signed
      }
      for (const outcome of [...outcomes, ...outcomes]) {
        await test.bots.report({ token, record: answer.record, outcome })
      }
    }
    return Infinity
  }

  for (const [release, most] of [
    ["never", 10],
    ["refused", 20],
  ] as const) {
    for (const limit of [byCount, byNotional]) {
      it(`gets ${most} past ${limit} with release: ${release}, also after a restart`, async (t) => {
        const released = limit.replace("}", `, release: ${release}}`)
        const { test, bots } = await openLimited(t, { limit: released, keys: "on_disk" })
        assert.equal(await signAndLie(test, bots[0] ?? ""), most)
        const again = await test.reopen()
        t.after(() => again.remove())
        assert.equal(await signAndLie(again, bots[0] ?? ""), 0)
      })
    }
  }

  it("gets nothing back for what it sent twice, or said nothing of", async (t) => {
    const limit = byCount.replace("}", ", release: refused}")
    const { test, bots } = await openLimited(t, { limit })
    const { signed } = split(await askAll(test, bots))
    const [bot = ""] = bots
    for (const { record } of signed.slice(0, 5)) {
      for (const outcome of [outcomes[0], ...outcomes]) {
        if (outcome !== undefined) await test.bots.report({ token: bot, record, outcome })
      }
    }
    for (const { record } of signed.slice(5)) {
      await test.bots.report({ token: bot, record, outcome: { kind: "unknown", status: null } })
      for (const outcome of outcomes) await test.bots.report({ token: bot, record, outcome })
    }
    assert.equal(outcomeOf(await test.sign(bot, limitOrder())), "limit_exhausted")
  })
})

/** Whatever a gate could say of a request. */
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant({ kind: "sent" } as const),
  fc.constantFrom({ kind: "unsent" } as const, { kind: "unsent", withdrawn: true } as const),
  fc.constant({ kind: "unknown", status: null } as const),
  { arbitrary: answers("refused"), weight: 4 },
  answers("accepted"),
)

function answers(kind: "accepted" | "refused"): fc.Arbitrary<Outcome> {
  const plain = { kind, status: 400, code: "10001" } as const
  const answer = { body: Buffer.from("{}").toString("base64") }
  return fc.constantFrom(plain, { ...plain, again: true } as const, { ...plain, answer })
}

/** The two clients of a run. */
const anyBot = fc.nat(1)

const anyStep = fc.oneof(
  fc.record({
    act: fc.constant("sign" as const),
    bot: anyBot,
    idempotencyKey: fc.option(fc.constantFrom("a", "b", "c", "d"), { nil: undefined }),
    purpose: fc.constantFrom("forward" as const, "forward" as const, "return" as const),
  }),
  // Of one of the requests so far, its own or the other client's.
  fc.record({
    act: fc.constant("lie" as const),
    bot: anyBot,
    which: fc.nat(),
    outcome: anyOutcome,
  }),
)
const anySteps = fc.array(anyStep, { minLength: 60, maxLength: 200, size: "max" })

type Step = typeof anyStep extends fc.Arbitrary<infer One> ? One : never

describe("a gate that lies at random", () => {
  for (const [release, most] of [
    ["never", 10],
    ["refused", 20],
  ] as const) {
    it(`gets no client more than ${most} past a limit of 10 with release: ${release}, also after a restart`, async (t) => {
      const limit = byCount.replace("}", `, per: client, release: ${release}}`)
      const { test } = await openLimited(t, { limit, keys: "on_disk" })
      let bots: readonly Bot[] = []
      let runs = 0
      const property = fc.asyncProperty(anySteps, async (steps) => {
        runs += 1
        bots = await Promise.all([addBot(test, `one-${runs}`), addBot(test, `two-${runs}`)])
        for (const step of steps) await take(step, bots, test)
        for (const { signed } of bots) assert.ok(signed.size <= most, `${signed.size} signed`)
      })
      await fc.assert(property, numRuns(6))

      const again = await test.reopen()
      t.after(() => again.remove())
      const honest = { act: "sign", idempotencyKey: undefined, purpose: "return" } as const
      for (const [bot, { signed }] of bots.entries()) {
        for (let count = 0; count < 30; count++) await take({ ...honest, bot }, bots, again)
        assert.ok(signed.size >= 10 && signed.size <= most, `${signed.size} signed`)
      }
    })
  }
})

/** A client of a run, with the records of what was signed for it. */
type Bot = { readonly token: string; readonly signed: Set<string> }

async function addBot(test: TestVault, name: string): Promise<Bot> {
  return { token: await test.addClient({ name, keys: ["mm", "other"] }), signed: new Set() }
}

async function take(step: Step, bots: readonly Bot[], test: TestVault): Promise<void> {
  const { token, signed } = bots[step.bot]!
  if (step.act === "sign") {
    const { idempotencyKey, purpose } = step
    const answer = await test.sign(token, limitOrder(), { idempotencyKey, purpose })
    if (answer.kind === "answer") signed.add(answer.record)
    return
  }
  const records = bots.flatMap((bot) => [...bot.signed])
  const record = records[step.which % Math.max(1, records.length)] ?? "none"
  const told = await test.bots.report({ token, record, outcome: step.outcome })
  assert.equal(told.kind, signed.has(record) ? "answer" : "refused")
}
