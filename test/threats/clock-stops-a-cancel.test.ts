import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { panicForOperator } from "../../src/vault/stops/panic.ts"
import {
  assertSigned,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  readBody,
} from "../support/open-test-vault.ts"
import { setClock } from "../support/set-clock.ts"
import { sandboxProfile, sandboxUrl } from "../../src/sandbox/profile.ts"

const hourMs = 3_600_000
const ttlMs = 15_000
/** What a slow machine may take between two lines of a test. */
const slackMs = 5_000

async function opened(t: TestContext) {
  const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
  const clock = setClock(t)
  const test = await openTestVault({ venue })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  return { clock, test, token, realMs: Date.now() }
}

describe("a clock that steps ahead", () => {
  it("stops orders", async (t) => {
    const { clock, test, token } = await opened(t)
    clock.step(hourMs)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "clock_unsafe")
  })

  const lanes = [
    { name: "a cancel", path: cancelPath, body: { order_id: "1" } },
    {
      name: "a reduce-only order",
      path: "/v1/trade/orders",
      body: limitOrder({ flags: ["reduce_only"] }),
    },
  ]
  for (const { name, path, body } of lanes) {
    it(`lets ${name} be signed, by the time that has passed, and says how long it is good`, async (t) => {
      const { clock, test, token, realMs } = await opened(t)
      clock.step(hourMs)
      const answer = await test.sign(token, body, { path })
      assertSigned(answer)
      const nonce = Number(readBody(answer)["nonce"])
      assert.ok(nonce >= realMs - slackMs && nonce <= realMs + slackMs, "nonce by believed time")
      assert.equal(answer.expiresAfter, nonce + ttlMs)
      assert.ok(answer.goodForMs > ttlMs - slackMs && answer.goodForMs <= ttlMs)
    })
  }

  it("stops no panic, whose cancels say how long they are good", async (t) => {
    const { clock, test, realMs } = await opened(t)
    clock.step(hourMs)
    const { requests, unsigned } = await panicForOperator({ reason: "a test" }, test.vault)
    assert.deepEqual(unsigned, [])
    const [request] = requests
    assert.ok(request)
    assert.ok(Math.abs(request.expires_after - ttlMs - realMs) <= slackMs)
    assert.ok(request.good_for_ms > ttlMs - slackMs && request.good_for_ms <= ttlMs)
  })
})
