import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { askBatch, inBatch, resultsOf } from "../../../support/batch.ts"
import {
  callOf,
  cancelPath,
  checkOf,
  limitOrder,
  openTestVault,
  outcomeOf,
} from "../../../support/open-test-vault.ts"

describe("a client that was added with --forward-only", () => {
  it("gets no signed body, not of a cancel, in no batch and under no key; its forwards are signed", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"], forwardOnly: true })
    const forward = { purpose: "forward", idempotencyKey: "k" } as const
    assert.equal(outcomeOf(await test.sign(token, limitOrder(), forward)), "signed")
    for (const [body, changes] of [
      [limitOrder(), {}],
      [limitOrder(), { idempotencyKey: "k" }],
      [{ order_id: "1" }, { path: cancelPath }],
    ] as const) {
      const refused = await test.sign(token, body, changes)
      assert.equal(outcomeOf(refused), "forward_only")
      assert.notEqual(refused.record, null)
    }
    const answers = resultsOf(await askBatch(test, token, [inBatch(), inBatch()]))
    assert.deepEqual(answers.map(outcomeOf), ["forward_only", "forward_only"])
    const checked = await test.bots.check(checkOf(callOf(token, limitOrder())))
    assert.ok(checked.kind === "answer" && checked.report.would_sign)
  })

  it("is told so by whoami and by the operator's list, and can be set both ways", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"], forwardOnly: true })
    const told = async () => {
      const answer = await test.bots.whoami({ token })
      assert.ok(answer.kind === "answer")
      const [client] = await test.admin.listClients()
      return [answer.whoami.forward_only, client?.forward_only]
    }
    assert.deepEqual(await told(), [true, true])
    await test.admin.setClient({ name: "bot", rights: ["freeze"] })
    assert.deepEqual(await told(), [true, true])
    await test.admin.setClient({ name: "bot", forwardOnly: false })
    assert.deepEqual(await told(), [false, false])
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "signed")
    await test.admin.setClient({ name: "bot", forwardOnly: true })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "forward_only")
  })
})
