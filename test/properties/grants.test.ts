import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { addDecimals, compareDecimals, parseDecimal, zero } from "../../src/venue/decimal.ts"
import { fakeClock } from "../support/fake-clock.ts"
import { limitOrder, openTestVault, type TestVault } from "../support/open-test-vault.ts"
import { numRuns } from "../support/runs.ts"

const policy = `policy: held
rules: [{name: all, endpoints: [placeOrder]}]
hold: [{name: each, endpoints: [placeOrder]}]
`

type Asked = { readonly is_buy: boolean; readonly symbol_id: number; readonly quantity: string }

const arbitraryOrder: fc.Arbitrary<Asked> = fc.record({
  is_buy: fc.constantFrom(true, true, true, false),
  symbol_id: fc.constantFrom(1, 1, 1, 2),
  quantity: fc.constantFrom("0.1", "0.25", "0.30000001", "1"),
})

const arbitraryStep = fc.record({
  asked: arbitraryOrder,
  client: fc.constantFrom("bot", "bot", "bot", "other"),
  afterMs: fc.constantFrom(0, 0, 1_000, 20_000),
  /** What is granted on it, where it is held. */
  grant: fc.option(
    fc.record({
      forMs: fc.constantFrom(1_000, 30_000, 120_000),
      times: fc.integer({ min: 1, max: 4 }),
      upTo: fc.constantFrom("0.5", "1", "2.00000001"),
    }),
    { freq: 2 },
  ),
  isEnded: fc.boolean(),
})

type Step = typeof arbitraryStep extends fc.Arbitrary<infer Value> ? Value : never

/** What a person said, as a plain reader remembers it. */
type Given = {
  readonly alike: string
  readonly untilMs: number
  readonly upTo: string
  times: number
  sum: typeof zero
  isEnded: boolean
}

function alike({ is_buy, symbol_id }: Asked, client: string): string {
  return `${client} ${is_buy} ${symbol_id}`
}

/** Whether this one grant was good for the request, and counts it. */
function counts(given: Given, { asked, client }: Step, nowMs: number): void {
  assert.equal(alike(asked, client), given.alike, "another request was signed")
  assert.ok(nowMs < given.untilMs && !given.isEnded, "it was over")
  given.times -= 1
  given.sum = addDecimals(given.sum, parseDecimal(asked.quantity)!)
  assert.ok(given.times >= 0, "more often than was granted")
  assert.ok(compareDecimals(given.sum, parseDecimal(given.upTo)!) <= 0, "more than was granted")
}

describe("for any grants and requests", () => {
  it("nothing is signed that no open grant is for, and of each never more in count and sum", async () => {
    let signed = 0
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 10, maxLength: 30 }), async (steps) => {
        const clock = fakeClock()
        const test = await openTestVault({ policies: [policy], clock })
        try {
          await test.addKey({ name: "mm", role: "agent" })
          const tokens = new Map<string, string>()
          for (const name of ["bot", "other"])
            tokens.set(name, await test.addClient({ name, keys: ["mm"] }))
          const grants = new Map<string, Given>()
          for (const step of steps) {
            clock.pass(step.afterMs)
            const before = await leftOf(test)
            const answer = await test.sign(tokens.get(step.client)!, limitOrder(step.asked))
            const nowMs = test.vault.now()
            if (answer.kind === "answer") {
              const used = (await leftOf(test)).filter(
                (each, place) => each.left !== before[place]!.left,
              )
              assert.equal(used.length, 1, "one grant is used")
              counts(grants.get(used[0]!.id)!, step, nowMs)
              signed += 1
            } else if (answer.kind === "refused" && step.grant !== null) {
              const { hold: id } = answer.refusal.data as { readonly hold: string }
              const { policyHash: policy_hash } = test.vault.active()
              const word = { id, decision: "released", policy_hash, grant: step.grant } as const
              const isGiven = await test.admin.decideHold(word).then(
                () => true,
                () => false,
              )
              const { upTo, times, forMs } = step.grant
              assert.equal(isGiven, Number(upTo) >= Number(step.asked.quantity))
              if (!isGiven) continue
              grants.set(id, {
                ...{ alike: alike(step.asked, step.client), untilMs: nowMs + forMs, upTo, times },
                ...{ sum: zero, isEnded: false },
              })
            } else if (step.isEnded) {
              const [open] = (await test.admin.listGrants()).filter(({ ended }) => ended === null)
              if (open === undefined) continue
              await test.admin.endGrant({ id: open.id })
              grants.get(open.id)!.isEnded = true
            }
          }
        } finally {
          await test.remove()
        }
      }),
      numRuns(30),
    )
    assert.ok(signed > 0)
  })
})

async function leftOf({ admin }: TestVault) {
  const grants = await admin.listGrants()
  return grants.map(({ id, times_left, quantity_left }) => ({
    id,
    left: `${times_left} ${quantity_left}`,
  }))
}
