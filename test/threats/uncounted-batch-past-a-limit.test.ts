import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"
import { limitOrder, openTestVault, outcomeOf, type TestVault } from "../support/open-test-vault.ts"
import { nothingKept } from "../support/spending.ts"

const batchPath = "/v1/trade/orders/batch"
const policy = `policy: five
rules: [{name: all, endpoints: [placeOrder, placeBatch, modifyBatch, cancelBatch]}]
limits: [{name: five, endpoints: [placeBatch, modifyBatch, placeOrder], count: orders, window: 1h, max: 5}]
`

/** The sandbox's venue with nothing said of where a batch has its items. */
function venueWithoutItems(): string {
  const profile = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
  return profile.replaceAll(/, items: [^}]*\}/g, "}")
}

async function opened(t: TestContext): Promise<{ test: TestVault; token: string }> {
  const settings = "budgets: {address: on, ip: on}\n"
  const test = await openTestVault({ policies: [policy], venue: venueWithoutItems(), settings })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return { test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

const times = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item)

describe("a batch that nobody can count", () => {
  for (const path of [batchPath, `${batchPath}/modify`]) {
    it(`of orders isn't signed, and the answer says what to add: ${path}`, async (t) => {
      const { test, token } = await opened(t)
      for (const count of [1, 300]) {
        const answer = await test.sign(token, { orders: times(count, limitOrder()) }, { path })
        assert.ok(answer.kind === "refused" && answer.refusal.code === "items_undisclosed")
        assert.match(answer.refusal.data.add_line, /action_tag: \d+, items: "\/…", item_like/)
        assert.match(answer.refusal.message, /add to venue\.yaml/)
      }
    })
  }

  it("of cancels is signed, and weighs the most that its size allows", async (t) => {
    const { test, token } = await opened(t)
    const path = `${batchPath}/cancel`
    const body = { order_ids: times(100, "7") }
    assert.equal(outcomeOf(await test.sign(token, body, { path })), "signed")
    const { used } = test.vault.ledger.budgets.stand(
      "bot",
      nothingKept.address,
      [...test.vault.active().keys.values()][0]?.address,
    )
    assert.ok(used >= 1 + 100 / 10, `${used}`)
    assert.ok(used <= 1 + JSON.stringify(body).length / 2 / 10, `${used}`)
  })
})
