import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { maxRowBytes, maxRows } from "../../../../src/vault/ledger/row-counts.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
} from "../../../support/open-test-vault.ts"

const batchPath = "/v1/trade/orders/batch"
const holding = `${permissivePolicy}hold:\n  - {name: batches, endpoints: [placeBatch], ttl: 1h}\n`

/** A vault whose clock a test moves, and two clients of one key. */
async function open(t: TestContext) {
  const clock = fakeClock()
  const test = await openTestVault({ policies: [holding], clock })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  const other = await test.addClient({ name: "other", keys: ["mm"] })
  return { test, clock, token, other }
}

describe("the holds that a client opens", () => {
  it("have so many bytes in a second, and as many again in the next; another client's are its own", async (t) => {
    const { test, clock, token, other } = await open(t)
    const bodyOf = (name: string) => {
      const order = limitOrder({ quantity: "0.001" })
      return {
        orders: Array.from({ length: 100 }, (_, id) => ({
          ...order,
          client_order_id: `${name}-${id}`,
        })),
      }
    }
    const open1 = async (name: string, by = token) =>
      outcomeOf(await test.sign(by, bodyOf(name), { path: batchPath }))
    const fits = Math.floor(maxRowBytes / Buffer.byteLength(JSON.stringify(bodyOf("a-00"))))
    assert.ok(fits > 1 && fits < maxRows.hold)
    for (let each = 0; each < fits; each += 1) {
      assert.equal(await open1(`a-${String(each).padStart(2, "0")}`), "approval_required")
    }
    assert.equal(await open1("b-00"), "overloaded")
    assert.equal(await open1("a-00"), "approval_required", "what waits already opens nothing anew")
    assert.equal(await open1("b-00", other), "approval_required")
    clock.pass(999)
    assert.equal(await open1("b-00"), "overloaded")
    clock.pass(1)
    assert.equal(await open1("b-00"), "approval_required")
  })
})

describe("the repeats that a client asks for", () => {
  it("are so many in a second, and as many again in the next; another client's are its own", async (t) => {
    const { test, clock, token, other } = await open(t)
    const repeat = async (by = token) =>
      outcomeOf(await test.sign(by, limitOrder(), { idempotencyKey: "k-1" }))
    for (const by of [token, other]) {
      assertSigned(await test.sign(by, limitOrder(), { idempotencyKey: "k-1" }))
    }
    for (let each = 0; each < maxRows.repeat; each += 1) assert.equal(await repeat(), "signed")
    assert.equal(await repeat(), "overloaded")
    assert.equal(await repeat(other), "signed")
    clock.pass(999)
    assert.equal(await repeat(), "overloaded")
    clock.pass(1)
    assert.equal(await repeat(), "signed")
  })
})
