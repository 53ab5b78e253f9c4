import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxPanic, sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { elsewhere } from "../../../support/agent-keys.ts"
import { actBeforeTurn } from "../../../support/before-turn.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  assertSigned,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"
import { recordOf } from "../../../support/ledger-ask.ts"

const sandbox = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(sandboxPanic, "")
const all = "panic: [{operation: cancelAll, body: '{}'}]\n"
const reason = "positions look wrong"

async function open(t: TestContext, ask: VaultAsk): Promise<TestVault> {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "mm2", role: "agent" })
  return test
}

const told = ({ key, operation }: { readonly key: string | null; readonly operation: string }) =>
  `${operation} by ${key}`

describe("a panic", () => {
  it("freezes everything, and signs for every agent key where a line names none", async (t) => {
    const test = await open(t, { venue: sandbox + all })
    await test.addKey({ name: "gone", role: "agent" })
    await test.admin.removeKey({ name: "gone" })
    const { freeze, requests, unsigned, add_lines } = await test.admin.panic({ reason })
    const expected = { scope: "all", by: "operator", cancels: true, reason: `panic: ${reason}` }
    assert.partialDeepStrictEqual(freeze, expected)
    assert.deepEqual(requests.map(told), ["cancelAll by mm", "cancelAll by mm2"])
    assert.deepEqual([unsigned, add_lines], [[], []])
    for (const { record, key, base_url, expires_after, body } of requests) {
      assert.equal(base_url, sandboxUrl)
      const sent = JSON.parse(body) as Record<string, unknown>
      assert.equal(sent["signer_address"], test.vault.active().keys.get(key ?? "")?.address)
      assert.equal(sent["expires_after"], expires_after)
      const stored = await recordOf(test.vault.ledger, record, ledgerTime(Date.now()))
      assert.deepEqual([stored?.client, stored?.state, stored?.key], ["operator", "signed", key])
      const settled = await test.admin.settleOperation({
        record,
        outcome: { kind: "accepted", status: 200, code: "0" },
      })
      assert.deepEqual(settled, { key: null })
    }
  })

  it("signs with the key, the body and the target of each line", async (t) => {
    const lines = `panic:
  - {operation: cancelAll, key: mm, body: '{"symbol_id": 1}', target: "${elsewhere.address}"}
  - {operation: cancelBatch, key: mm2, body: '{"order_ids": ["1", "2"]}'}
  - {operation: cancelAll, key: main, body: '{}'}
`
    const test = await open(t, { venue: sandbox + lines })
    await test.admin.setTargets({ name: "mm", targets: [elsewhere.address] })
    const { requests, unsigned } = await test.admin.panic({ reason })
    assert.deepEqual(unsigned, [])
    const bodies = requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
    assert.deepEqual(requests.map(told), [
      "cancelAll by mm",
      "cancelBatch by mm2",
      "cancelAll by main",
    ])
    assert.equal(bodies[0]?.["target_address"], elsewhere.address)
    assert.equal(bodies[0]["symbol_id"], 1)
    assert.deepEqual(bodies[1]?.["order_ids"], ["1", "2"])
    assert.equal(bodies[2]?.["target_address"], undefined)
  })

  it("is stopped by no policy, no limit and no freeze", async (t) => {
    const deny = `policy: none
rules: [{name: all, endpoints: [cancelAll]}]
deny: [{name: never, endpoints: [cancelAll]}]
limits: [{name: few, endpoints: [cancelAll], count: requests, window: 1h, max: "1"}]
`
    const test = await open(t, { venue: sandbox + all, policies: [deny] })
    await test.admin.freeze({ scope: "all", name: null, reason, cancels: false })
    const { freeze, requests } = await test.admin.panic({ reason })
    assert.equal(requests.length, 2)
    assert.equal(freeze?.cancels, false, "a stricter freeze stays")
    await test.admin.reload({}) // counts what is used anew, from the records
    const used = (await test.admin.listLimits()).map((limit) => limit.used)
    assert.deepEqual(used, ["0"])
  })

  it("tells what it can't sign, and signs the others", async (t) => {
    const lines = `panic:
  - {operation: cancelAll, key: nobody, body: '{}'}
  - {operation: cancelAll, key: mm, body: '{}', target: "${elsewhere.address}"}
  - {operation: cancelAll, key: gone, body: '{}'}
  - {operation: cancelAll, key: mm2, body: '{}'}
`
    const test = await open(t, { venue: sandbox + lines })
    await test.addKey({ name: "gone", role: "agent" })
    await test.admin.removeKey({ name: "gone" })
    const { requests, unsigned } = await test.admin.panic({ reason })
    assert.deepEqual(requests.map(told), ["cancelAll by mm2"])
    const [nobody, target, gone] = unsigned.map(({ message }) => message)
    assert.match(nobody ?? "", /no key named nobody; fix panic in venue.yaml/)
    assert.match(target ?? "", /may not operate/)
    assert.match(gone ?? "", /is removed and never signs again/)
  })

  it("signs nothing by a key that is removed on another host meanwhile", async (t) => {
    const test = await open(t, { venue: sandbox + all })
    actBeforeTurn(t, test, { act: "key_removed", name: "mm" })
    const { requests, unsigned } = await test.admin.panic({ reason })
    assert.deepEqual(requests.map(told), ["cancelAll by mm2"])
    assert.match(unsigned[0]?.message ?? "", /is removed and never signs again/)
  })

  it("says so of keys that are locked", async (t) => {
    const test = await openTestVault({ venue: sandbox + all, keys: "on_disk" })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    await test.admin.lock()
    const { requests, unsigned } = await test.admin.panic({ reason })
    assert.deepEqual(requests, [])
    assert.match(unsigned[0]?.message ?? "", /mm is locked.*countersign unlock/)
    assert.equal(test.vault.active().freezes.length, 1)
  })

  it("says so when there is no agent key at all", async (t) => {
    const test = await openTestVault({ venue: sandbox + all })
    t.after(() => test.remove())
    const { requests, unsigned } = await test.admin.panic({ reason })
    assert.deepEqual(requests, [])
    assert.match(unsigned[0]?.message ?? "", /no agent key/)
  })

  it("freezes and names the line to add where venue.yaml has none", async (t) => {
    const test = await open(t, { venue: sandbox })
    const { requests, unsigned, add_lines } = await test.admin.panic({ reason })
    assert.deepEqual([requests, unsigned], [[], []])
    assert.deepEqual(add_lines, ["panic: [{operation: cancelAll, body: '{…}'}]"])
    assert.equal(test.vault.active().freezes.length, 1)
  })

  it("names the action tag to add where the interface doesn't disclose it", async (t) => {
    const test = await open(t, { venue: `extends: builtin\n${all}` })
    const { requests, unsigned, add_lines } = await test.admin.panic({ reason })
    assert.deepEqual(requests, [])
    assert.equal(unsigned.length, 2)
    assert.equal(add_lines.length, 1)
    assert.match(add_lines[0] ?? "", /cancelAll.*action_tag/)
    const bare = await open(t, { venue: "extends: builtin\n" })
    assert.equal((await bare.admin.panic({ reason })).add_lines.length, 2)
  })

  it("leaves cancels open to bots, and orders closed", async (t) => {
    const test = await open(t, { venue: sandbox + all })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.admin.panic({ reason })
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "frozen")
    assertSigned(await test.sign(token, { order_id: "1" }, { path: cancelPath }))
  })
})

describe("the gate's word on a panic's request", () => {
  it("is taken of those that a missed heartbeat had signed, and of no other", async (t) => {
    const test = await open(t, { venue: sandbox + all })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const byBot = await test.sign(token, limitOrder(), { purpose: "forward" })
    assertSigned(byBot)
    const { requests } = await test.admin.panic({ reason })
    const outcome = { kind: "refused", status: 400, code: "1" } as const
    for (const record of [byBot.record, requests[0]?.record ?? "", "rec_nothing"]) {
      const answer = await test.bots.outboxReport({ record, outcome })
      assert.equal(answer.kind === "refused" && answer.refusal.code, "unknown_record")
    }
    const stored = await recordOf(test.vault.ledger, byBot.record, ledgerTime(Date.now()))
    assert.equal(stored?.state, "signed")
  })

  it("can't come from a bot, for no client may be called panic", async (t) => {
    const test = await open(t, {})
    const adding = test.addClient({ name: "panic", keys: ["mm"] })
    await assert.rejects(adding, { code: "name_taken" })
  })
})
