import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { maxRows } from "../../../../src/vault/ledger/row-counts.ts"
import { limitOrder } from "../../../support/bot.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"

const policy = `policy: trading
applies_to: {clients: [bot]}
rules:
  - {name: all, endpoints: [placeOrder]}
`

describe("a shadow", () => {
  it("is recorded of a client that has a policy, ten a second; the others are only judged", async (t) => {
    const test = await openTestVault({ policies: [policy] })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const body = Buffer.from(JSON.stringify(limitOrder())).toString("base64")
    const shadow = async (token: string): Promise<boolean> => {
      const call = { token, path: "/v1/trade/orders", body, shadow: true }
      const answer = await test.bots.check(call)
      assert.equal(answer.kind, "answer")
      return answer.record !== null
    }
    const outsider = await test.addClient({ name: "outsider", keys: ["mm"] })
    assert.equal(await shadow(outsider), false)
    const bot = await test.addClient({ name: "bot", keys: ["mm"] })
    const recorded = []
    for (let count = 0; count <= maxRows.shadow; count++) recorded.push(await shadow(bot))
    assert.deepEqual(recorded, [...Array.from({ length: maxRows.shadow }, () => true), false])
  })
})
