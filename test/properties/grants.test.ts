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

type Site = {
  readonly test: TestVault
  readonly token: string
  readonly grants: Map<string, Given>
}

/** Whether it was signed. */
async function take(step: Step, { test, token, grants }: Site): Promise<boolean> {
  const before = await leftOf(test)
  const answer = await test.sign(token, limitOrder(step.asked))
  if (answer.kind === "answer") {
    const used = (await leftOf(test)).filter((each, place) => each.left !== before[place]?.left)
    assert.equal(used.length, 1, "one grant is used")
    counts(grants.get(used[0]!.id)!, step, test.vault.now())
    return true
  }
  assert.ok(answer.kind === "refused")
  const { hold } = answer.refusal.data as { readonly hold: string }
  if (step.grant !== null) await give(hold, step, { test, token, grants })
  else if (step.isEnded) await endFirst(test, grants)
  return false
}

async function give(id: string, step: Step, { test, grants }: Site): Promise<void> {
  const { upTo, times, forMs } = step.grant!
  const policy_hash = test.vault.active().policyHash
  const word = { id, decision: "released", policy_hash, grant: { upTo, times, forMs } } as const
  const isGiven = await test.admin.decideHold(word).then(
    () => true,
    () => false,
  )
  assert.equal(isGiven, Number(upTo) >= Number(step.asked.quantity))
  if (!isGiven) return
  const untilMs = test.vault.now() + forMs
  const given = { alike: alike(step.asked, step.client), untilMs, upTo, times }
  grants.set(id, { ...given, sum: zero, isEnded: false })
}

async function endFirst({ admin }: TestVault, grants: Site["grants"]): Promise<void> {
  const [open] = (await admin.listGrants()).filter(({ ended }) => ended === null)
  if (open === undefined) return
  await admin.endGrant({ id: open.id })
  grants.get(open.id)!.isEnded = true
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
            const token = tokens.get(step.client)!
            if (await take(step, { test, token, grants })) signed += 1
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
