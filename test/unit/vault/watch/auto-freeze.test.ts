import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Outcome } from "../../../../src/link/calls/both-ways.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { asRequest } from "../../../../src/vault/ledger/found-records.ts"
import type { RequestRow } from "../../../../src/vault/ledger/records/row.ts"
import type { FoundRequest } from "../../../../src/vault/ledger/store/store.ts"
import { policyDenied } from "../../../../src/vault/request/refuse.ts"
import { openAutoFreeze, type AutoFreeze } from "../../../../src/vault/watch/auto-freeze.ts"
import { thawAsShown } from "../../../support/a-word.ts"
import { fakeClock, type FakeClock } from "../../../support/fake-clock.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"

const refused: Outcome = { kind: "refused", status: 400, code: "90210" }
const accepted: Outcome = { kind: "accepted", status: 200, code: "0" }

const denied = policyDenied({
  ...{ policy: null, rule: null, reason: "no_policy_applies", file: null, line: null },
  ...{ asked: null, allowed: null },
})

type Watched = {
  readonly test: TestVault
  readonly token: string
  readonly seen: AutoFreeze
  readonly clock: FakeClock
  /** What is frozen, as `scope name by`. */
  readonly frozen: () => readonly string[]
  /** A request of `mm` that was sent and not answered yet. */
  readonly record: (changes?: Partial<RequestRow>, heard?: FoundRequest["heard"]) => FoundRequest
}

/** An automatic freeze with a clock of the test's, over a real vault. */
async function watch(t: TestContext, settings: string): Promise<Watched> {
  const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
  const test = await openTestVault({
    settings,
    venue: `${venue}codes: {duplicate_nonce: "90210"}\n`,
  })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  const signed = await test.sign(token, limitOrder())
  assertSigned(signed)
  const stored = asRequest(await test.vault.ledger.record(signed.record))
  const clock = fakeClock()
  return {
    ...{ test, token },
    clock,
    seen: openAutoFreeze({ ...test.vault, clock }),
    frozen: () =>
      test.vault.active().freezes.map(({ scope, name, by }) => `${scope} ${name} ${by}`),
    record: (changes, heard = stored.heard) => ({
      ...{ ...stored, heard },
      row: { ...stored.row, ...changes },
    }),
  }
}

describe("freeze_on", () => {
  it("freezes nothing unless it is in the file", async (t) => {
    const { seen, frozen, record } = await watch(t, "")
    for (let count = 0; count < 200; count++) {
      seen.settled(record(), refused)
      seen.noted({ client: "bot", refusal: denied })
    }
    seen.paced("mm")
    seen.clockUnsafe()
    assert.deepEqual(frozen(), [])
  })
})

describe("refusals by the venue", () => {
  const settings = "freeze_on: {venue_refusals: 3}\n"
  const byVenue = "key mm freeze_on/venue_refusals"

  it("freeze a key when there are so many in a row, and not at one fewer", async (t) => {
    const { test, seen, frozen, record } = await watch(t, settings)
    seen.settled(record(), refused)
    seen.settled(record(), refused)
    assert.deepEqual(frozen(), [])
    seen.settled(record(), refused)
    assert.deepEqual(frozen(), [byVenue])
    const [freeze] = test.vault.active().freezes
    assert.equal(freeze?.reason, "the venue refused 3 requests of this key in a row")
    assert.equal(freeze.cancels, true)
  })

  it("begin anew after an accepted one, and after a freeze", async (t) => {
    const { test, seen, frozen, record } = await watch(t, settings)
    for (const outcome of [refused, refused, accepted, refused, refused]) {
      seen.settled(record(), outcome)
    }
    assert.deepEqual(frozen(), [])
    seen.settled(record(), refused)
    assert.deepEqual(frozen(), [byVenue])
    await thawAsShown(test, { scope: "key", name: "mm" })
    seen.settled(record(), refused)
    seen.settled(record(), refused)
    assert.deepEqual(frozen(), [])
  })

  it("don't count what is told of a request that was refused here", async (t) => {
    const { test, token } = await watch(t, "freeze_on: {venue_refusals: 1}\n")
    const order = await test.sign(token, limitOrder(), { key: "other" })
    assert.ok(order.kind === "refused" && order.record !== null)
    const told = test.bots.report({ token, record: order.record, outcome: refused })
    await assert.rejects(told, { name: "Fault", code: "name_unknown" })
    assert.deepEqual(test.vault.active().freezes, [])
  })

  it("count by key", async (t) => {
    const { seen, frozen, record } = await watch(t, settings)
    seen.settled(record(), refused)
    seen.settled(record({ key: "other" }), refused)
    seen.settled(record({ key: "other" }), refused)
    seen.settled(record(), refused)
    assert.deepEqual(frozen(), [])
  })

  for (const [what, changes, outcome, heard] of [
    ["an unknown outcome", {}, { kind: "unknown", status: 500 }],
    ["a word that nothing was sent", {}, { kind: "unsent" }],
    ["bytes that may have been sent before", {}, { ...refused, again: true }],
    ["a record that was answered before", {}, refused, "refused"],
    ["what the operator sent", { client: "operator" }, refused],
    ["what a panic sent", { client: "panic" }, refused],
  ] as const satisfies readonly (readonly [
    string,
    Partial<RequestRow>,
    Outcome,
    FoundRequest["heard"]?,
  ])[]) {
    it(`don't count ${what}, and it resets nothing`, async (t) => {
      const { seen, frozen, record } = await watch(t, settings)
      seen.settled(record(), refused)
      seen.settled(record(), refused)
      seen.settled(record(changes, heard), outcome)
      assert.deepEqual(frozen(), [])
      seen.settled(record(), refused)
      assert.deepEqual(frozen(), [byVenue])
    })
  }

  it("leave a freeze that is there as it is", async (t) => {
    const { test, seen, frozen, record } = await watch(t, settings)
    await test.admin.freeze({ scope: "key", name: "mm", reason: "mine", cancels: false })
    for (let count = 0; count < 3; count++) seen.settled(record(), refused)
    assert.deepEqual(frozen(), ["key mm operator"])
  })

  it("freeze through the reports of a gate", async (t) => {
    const { test, frozen } = await watch(t, "freeze_on: {venue_refusals: 2}\n")
    const token = await test.addClient({ name: "bot2", keys: ["mm"] })
    for (let count = 0; count < 2; count++) {
      assert.deepEqual(frozen(), [])
      const signed = await test.sign(token, limitOrder(), { purpose: "forward" })
      assertSigned(signed)
      await test.bots.report({ token, record: signed.record, outcome: refused })
    }
    assert.deepEqual(frozen(), [byVenue])
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "frozen")
  })
})

describe("refusals by policy", () => {
  const settings = "freeze_on: {policy_refusals_per_minute: 3}\n"
  const byPolicy = "client bot freeze_on/policy_refusals_per_minute"

  it("freeze a client when there are so many, and not at one fewer", async (t) => {
    const { test, seen, frozen } = await watch(t, settings)
    seen.noted({ client: "bot", refusal: denied })
    seen.noted({ client: "bot", refusal: denied })
    seen.noted({ client: "other", refusal: denied })
    assert.deepEqual(frozen(), [])
    seen.noted({ client: "bot", refusal: denied })
    assert.deepEqual(frozen(), [byPolicy])
    const [freeze] = test.vault.active().freezes
    assert.equal(freeze?.reason, "policy refused 3 requests of this client within 60 s")
  })

  it("count within 60 s: one that is exactly so old counts no more", async (t) => {
    const { seen, clock, frozen } = await watch(t, settings)
    seen.noted({ client: "bot", refusal: denied })
    clock.pass(1)
    seen.noted({ client: "bot", refusal: denied })
    clock.pass(59_999)
    seen.noted({ client: "bot", refusal: denied })
    assert.deepEqual(frozen(), [])
    seen.noted({ client: "bot", refusal: denied })
    assert.deepEqual(frozen(), [byPolicy])
  })

  it("count one that is a millisecond younger, whatever the wall clock is set to", async (t) => {
    const { seen, clock, frozen } = await watch(t, settings)
    seen.noted({ client: "bot", refusal: denied })
    seen.noted({ client: "bot", refusal: denied })
    clock.pass(59_999)
    clock.setWall(1)
    seen.noted({ client: "bot", refusal: denied })
    assert.deepEqual(frozen(), [byPolicy])
  })

  it("are no other refusals", async (t) => {
    const { seen, frozen } = await watch(t, settings)
    for (let count = 0; count < 10; count++) {
      seen.noted({ client: "bot", refusal: { code: "locked", message: "", data: { key: "mm" } } })
      seen.noted({
        client: "bot",
        refusal: { code: "signer_pace", message: "", data: { retry_after_ms: 1 } },
      })
    }
    assert.deepEqual(frozen(), [])
  })

  it("freeze on the way on which requests are refused", async (t) => {
    const { test, frozen } = await watch(t, settings)
    const token = await test.addClient({ name: "bot2", keys: ["mm"] })
    // No rule of the usual policy allows it.
    const chase = () => test.sign(token, {}, { path: "/v1/trade/orders/chase" })
    for (let count = 0; count < 3; count++) {
      assert.deepEqual(frozen(), [])
      assert.equal(outcomeOf(await chase()), "policy_denied")
    }
    assert.deepEqual(frozen(), ["client bot2 freeze_on/policy_refusals_per_minute"])
    assert.equal(outcomeOf(await chase()), "frozen")
  })
})

describe("trouble with nonces", () => {
  const settings = "freeze_on: {nonce_trouble: true}\n"
  const byNonce = "key mm freeze_on/nonce_trouble"

  it("freezes a key that asked for more than its pace", async (t) => {
    const { test, seen, frozen } = await watch(t, settings)
    seen.paced("mm")
    assert.deepEqual(frozen(), [byNonce])
    const [freeze] = test.vault.active().freezes
    assert.match(freeze?.reason ?? "", /more than one nonce a millisecond for over 1,000 ms/)
  })

  it("freezes a key whose nonce the venue had seen, by the code that venue.yaml names", async (t) => {
    const { seen, frozen, record } = await watch(t, settings)
    seen.settled(record(), { ...refused, code: "90211" })
    assert.deepEqual(frozen(), [])
    seen.settled(record(), refused)
    assert.deepEqual(frozen(), [byNonce])
  })
})

describe("trouble with the clock", () => {
  it("freezes everything when a request isn't signed for it", async (t) => {
    const { seen, frozen } = await watch(t, "freeze_on: {clock_trouble: true}\n")
    seen.clockUnsafe()
    seen.clockUnsafe()
    assert.deepEqual(frozen(), ["all null freeze_on/clock_trouble"])
  })
})
