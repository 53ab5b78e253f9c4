import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../support/open-test-vault.ts"
import { decideAsShown } from "../support/a-word.ts"
import { setClock } from "../support/set-clock.ts"

const policy = `policy: narrow
rules: [{name: all, endpoints: [placeOrder]}]
limits:
  - {name: few, count: requests, window: 1h, max: "1", per: client}
`
const holding = `policy: held
rules: [{name: all, endpoints: [placeOrder]}]
hold:
  - {name: each, endpoints: [placeOrder], ttl: 5s}
`
const hourMs = 3_600_000

async function opened(t: TestContext, text: string, keys: "in_memory" | "on_disk" = "in_memory") {
  const clock = setClock(t)
  const test = await openTestVault({ policies: [text], keys })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return { clock, test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

async function outcome(test: TestVault, token: string): Promise<string> {
  return outcomeOf(await test.sign(token, limitOrder()))
}

async function releasedHold(test: TestVault, token: string): Promise<void> {
  const held = await test.sign(token, limitOrder())
  assert.ok(held.kind === "refused" && held.refusal.code === "approval_required")
  await decideAsShown(test, held.refusal.data.hold ?? "")
}

describe("a clock that is set back", () => {
  it("brings no raise back that has ended", async (t) => {
    const { clock, test, token } = await opened(t, policy)
    assertSigned(await test.sign(token, limitOrder()))
    await test.admin.raiseLimit({ limit: "few", to: "2", forMs: 5_000, reason: "a test" })
    clock.step(4_000)
    assert.equal(await outcome(test, token), "signed", "the raise is in force")
    await test.admin.raiseLimit({ limit: "few", to: "3", forMs: 5_000, reason: "another" })
    clock.step(5_001)
    assert.equal(await outcome(test, token), "limit_exhausted", "it has ended")
    clock.step(-hourMs)
    assert.equal(await outcome(test, token), "limit_exhausted")
  })

  it("brings no release back that has ended", async (t) => {
    const { clock, test, token } = await opened(t, holding)
    await releasedHold(test, token)
    clock.step(5_001)
    assert.equal(await outcome(test, token), "approval_required", "it has ended")
    clock.step(-hourMs)
    assert.equal(await outcome(test, token), "approval_required")
    assert.deepEqual(
      (await test.admin.listHolds()).map(({ state }) => state),
      ["pending", "expired"],
    )
  })

  it("brings neither back over a restart", async (t) => {
    const { clock, test, token } = await opened(t, policy, "on_disk")
    assertSigned(await test.sign(token, limitOrder()))
    await test.admin.raiseLimit({ limit: "few", to: "2", forMs: 5_000, reason: "a test" })
    clock.step(5_001)
    assert.equal(await outcome(test, token), "limit_exhausted", "it has ended")
    clock.step(-hourMs)
    const again = await test.reopen()
    t.after(() => again.close())
    assert.equal(await outcome(again, token), "limit_exhausted")
  })

  it("lets a release be used as long as it is good", async (t) => {
    const { clock, test, token } = await opened(t, holding)
    await releasedHold(test, token)
    clock.step(-hourMs)
    assert.equal(await outcome(test, token), "signed")
  })
})
