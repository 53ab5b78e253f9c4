import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { heardStages } from "../../../support/heard-stages.ts"
import {
  assertSigned,
  callOf,
  limitOrder,
  openTestVault,
  type TestVault,
} from "../../../support/open-test-vault.ts"

describe("the stages that a vault tells of", () => {
  let test: TestVault
  let token: string
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    token = await test.addClient({ name: "bot", keys: ["mm"] })
  })
  after(() => test.remove())

  const stagesOf = (body: unknown, changes = {}) =>
    heardStages("countersign.request", () => test.bots.sign(callOf(token, body, changes)))

  it("are all there for a request that is signed, in their order", async () => {
    const stages = ["parsed", "judged", "reserved", "signed", "durable", "answered"]
    assert.deepEqual(await stagesOf(limitOrder()), stages)
  })

  it("reserve nothing for a repeat", async () => {
    const keyed = { idempotencyKey: "once" }
    assertSigned(await test.sign(token, limitOrder(), keyed))
    assert.deepEqual(await stagesOf(limitOrder(), keyed), ["parsed", "signed", "answered"])
  })

  it("end with the answer where a request is refused", async () => {
    assert.deepEqual(await stagesOf("{"), ["parsed", "answered"])
    const chase = stagesOf({ order_id: "1" }, { path: "/v1/trade/orders/chase" })
    assert.deepEqual(await chase, ["parsed", "judged", "answered"])
  })
})
