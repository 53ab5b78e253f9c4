import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import { listLimits } from "../../../../src/vault/status/limit-use.ts"
import {
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
  writePolicies,
} from "../../../support/open-test-vault.ts"

const policy = (...limits: readonly string[]) => `policy: churning
rules: [{name: all, endpoints: [placeOrder]}]
${limits.length === 0 ? "" : `limits:\n${limits.map((limit) => `  - {${limit}}`).join("\n")}`}
`
const cost = (max: string, window = "1h") =>
  `name: cost, sum: worst_cost, window: ${window}, max: "${max}"`

/** By a price of 64000, 0.1 above it by 100 may lose 10 and a fee of 6.41. */
const crossing = limitOrder({ price: "64100" })

async function open(t: TestContext, ...limits: readonly string[]) {
  return openAt(t, sandbox, ...limits)
}

const sandbox = sandboxProfile({ url: sandboxUrl, asOf: new Date() })

async function openAt(t: TestContext, venue: string, ...limits: readonly string[]) {
  const test = await openTestVault({ policies: [policy(...limits)], keys: "on_disk", venue })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  await price(test, "64000")
  return { test, token }
}

const price = ({ admin }: TestVault, value: string) => admin.setPrice({ symbol: "BTC-PERP", value })

function used({ vault }: TestVault) {
  return listLimits(vault).map((limit) => limit.used)
}

describe("a limit on what orders may lose", () => {
  it("lets orders come to it and no further", async (t) => {
    const { test, token } = await open(t, cost("32.82"))
    for (const outcome of ["signed", "signed", "limit_exhausted"])
      assert.equal(outcomeOf(await test.sign(token, crossing)), outcome)
    const { test: tight, token: other } = await open(t, cost("32.8199"))
    for (const outcome of ["signed", "limit_exhausted"])
      assert.equal(outcomeOf(await tight.sign(other, crossing)), outcome)
  })

  for (const window of ["1h", "day, zone: UTC", "ever"])
    it(`has used as much after prices have moved, a reload and a restart: ${window}`, async (t) => {
      const { test, token } = await open(t, cost("40", window))
      assert.equal(outcomeOf(await test.sign(token, crossing)), "signed")
      assert.deepEqual(used(test), ["16.41"])
      await price(test, "64100")
      await writePolicies(test.installation, [policy(cost("50", window))])
      await reload(test.vault)
      assert.deepEqual(used(test), ["16.41"])
      const again = await test.reopen()
      t.after(() => again.close())
      assert.deepEqual(used(again), ["16.41"])
      assert.equal(outcomeOf(await again.sign(token, crossing)), "signed") // now for its fee alone
      assert.deepEqual(used(again), ["22.82"])
    })

  it("counts what was signed before it was in force", async (t) => {
    const { test, token } = await open(t)
    assert.equal(outcomeOf(await test.sign(token, crossing)), "signed")
    await writePolicies(test.installation, [policy(cost("32"))])
    await reload(test.vault)
    assert.deepEqual(used(test), ["16.41"])
    assert.equal(outcomeOf(await test.sign(token, crossing)), "limit_exhausted")
  })

  it("counts the fee that venue.yaml says", async (t) => {
    const { test, token } = await openAt(t, `${sandbox}fee_rate: 0.05%\n`, cost("13.205"))
    assert.equal(outcomeOf(await test.sign(token, crossing)), "signed")
    assert.deepEqual(used(test), ["13.205"])
    assert.equal(outcomeOf(await test.sign(token, crossing)), "limit_exhausted")
  })

  it("signs nothing whose cost can't be told, and says so to who checks", async (t) => {
    const { test, token } = await open(t, cost("1000"))
    const market = { symbol_id: 1, is_buy: false, order_type: "market", quantity: "0.1" }
    assert.equal(outcomeOf(await test.sign(token, market)), "policy_denied")
    const checked = test.check(token, market)
    assert.ok(checked.kind === "answer")
    const { refusal } = checked.report
    assert.ok(refusal?.code === "policy_denied")
    assert.equal(refusal.data.reason, "notional_unknown")
    assert.equal(outcomeOf(await test.sign(token, { ...market, slippage: "0.01" })), "signed")
    assert.deepEqual(used(test), ["70.464"])
  })
})
