// The quantity that `/check` says would fit is a border of what `/sign` signs.

import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { addDecimals, formatDecimal, parseDecimal } from "../../src/venue/decimal.ts"
import { arbitraryPolicy, placing } from "../support/drawn-policies.ts"
import { fakeClock } from "../support/fake-clock.ts"
import { guardedWallet, valuedAccount } from "../support/guarded-account.ts"
import { callOf, checkOf, openTestVault, type TestVault } from "../support/open-test-vault.ts"
import { numRuns } from "../support/runs.ts"

const venue = `${sandboxProfile({ url: sandboxUrl, asOf: new Date() })}${valuedAccount}`
const quantities = ["0.1", "0.30", "0.6", "1", "1.5", "2.000", "700"] as const
/** Each has room for less than most orders ask. */
const sized = [
  `limits: [{name: day, sum: submitted_notional, window: 1d, max: "90000"}]`,
  `guards: [{name: net, max_position: {BTC-PERP: {net: "0.4"}}}]`,
].map((bound) => [`policy: drawn\nrules: [{name: any, endpoints: [placeOrder]}]\n${bound}\n`])
const asking = fc
  .tuple(placing, fc.constantFrom(...quantities), fc.constantFrom(0, 0, 1_000, 11_000))
  .map(([{ body }, quantity, waitMs]) => ({ body: { ...body, quantity }, waitMs }))

describe("for any policies, and what was signed before", () => {
  it("what /check says fits is signed by /sign, and one step more isn't", async () => {
    const refusedFirst = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(arbitraryPolicy, { minLength: 1, maxLength: 2 }),
          fc.constantFrom(...sized),
        ),
        fc.array(asking, { minLength: 5, maxLength: 10 }),
        async (policies, asks) => {
          const clock = fakeClock()
          const named = policies.map((text, index) => text.replace("drawn", `drawn-${index}`))
          const test = await openTestVault({ policies: named, venue, clock })
          try {
            const token = await populate(test)
            for (const { body, waitMs } of asks) {
              clock.pass(waitMs)
              const code = await tryFits(body, test, token)
              if (code !== undefined) refusedFirst.add(code)
            }
          } finally {
            await test.remove()
          }
        },
      ),
      numRuns(20),
    )
    assert.deepEqual([...refusedFirst].sort(), [
      "guard_exceeded",
      "limit_exhausted",
      "policy_denied",
    ])
  })
})

async function populate(test: TestVault): Promise<string> {
  const { admin, bots } = test
  await admin.setPrice({ symbol: "BTC-PERP", value: "63000" })
  await test.addKey({ name: "wallet", role: "wallet", secret: guardedWallet.secret })
  await test.addKey({ name: "agent", role: "agent", wallet: "wallet" })
  const token = await test.addClient({ name: "one", keys: ["agent"] })
  const { round } = await bots.accountPoll()
  if (round === null) return token
  const reading = { orders: [], positions: [], equity: "10000" }
  await bots.polledAccount({ ticket: round.ticket, reading })
  return token
}

/** Signs what fits, after one step more was refused; returns the code of what was refused for its size. */
async function tryFits(
  body: Readonly<Record<string, unknown>> & { readonly quantity: string },
  { bots, sign }: Pick<TestVault, "bots" | "sign">,
  token: string,
): Promise<string | undefined> {
  const checked = await bots.check(checkOf(callOf(token, body)))
  assert.ok(checked.kind === "answer")
  const { fits, refusal } = checked.report
  if (fits === undefined) return undefined
  const more = { ...body, quantity: oneStepMore(fits.quantity, body.quantity) }
  assert.equal((await sign(token, more)).kind, "refused", `${more.quantity} doesn't fit`)
  const signed = await sign(token, { ...body, ...fits })
  assert.equal(signed.kind, "answer", `${fits.quantity} fits`)
  return refusal?.code
}

function oneStepMore(quantity: string, asked: string): string {
  const scale = parseDecimal(asked)?.scale ?? 0
  const fitting = parseDecimal(quantity)
  assert.ok(fitting)
  return formatDecimal(addDecimals(fitting, { coefficient: 1n, scale }))
}
