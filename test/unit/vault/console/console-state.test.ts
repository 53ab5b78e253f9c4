import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { maxFrameBytes } from "../../../../src/link/frame.ts"
import { consoleState, maxShown } from "../../../../src/vault/console/console-state.ts"
import { version } from "../../../../src/version.ts"
import {
  limitOrder,
  openTestVault,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"

const policy = `policy: mm
rules: [{name: all, endpoints: [placeOrder]}]
limits: [{name: daily, sum: submitted_notional, window: 1h, max: "7000"}]
hold: [{name: large, endpoints: [placeOrder], where: [{pointer: /quantity, in: ["0.6"]}], ttl: 5m}]
`

async function openTrading(
  t: TestContext,
  ask: VaultAsk = {},
): Promise<TestVault & { readonly token: string }> {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  return { ...test, token }
}

const stateOf = ({ vault }: TestVault) => consoleState(vault, 1_000)

describe("what the console shows", () => {
  it("is the vault as it stands, and when the session ends", async (t) => {
    const test = await openTrading(t)
    await test.sign(test.token, limitOrder())
    const { at, keys, ...state } = stateOf(test)
    const { policyHash, profile } = test.vault.active()
    assert.deepEqual(state, {
      ...{ version, network: profile.network, policy_hash: policyHash },
      ...{ state: "ready", words: "Signing.", session_ends_at: at + 1_000 },
      ...{ alarms: [], freezes: [], holds: [], limits: [], budgets: [] },
      decided: { allowed: 1, refused: 0, held: 0 },
    })
    assert.deepEqual(
      keys.map(({ name, locked }) => [name, locked]),
      [["mm", false]],
    )
  })

  it("tells how limits and budgets stand", async (t) => {
    const settings = "budgets: {cancel_reserve: 10%}\n"
    const test = await openTrading(t, { policies: [policy], settings })
    await test.sign(test.token, limitOrder())
    const { limits, alarms, budgets, keys } = stateOf(test)
    assert.deepEqual(
      limits.map(({ limit, used, max }) => [limit, used, max]),
      [["daily", "6300", "7000"]],
    )
    assert.deepEqual(
      alarms.map(({ name }) => name),
      ["limit_nearly_spent"],
    )
    const [address] = keys.map((key) => key.address)
    assert.ok(address)
    assert.deepEqual(budgets, [
      { scope: "ip", address: null, max: 1_200, used: 1, kept_for_cancels: 120 },
      { scope: "address", address, max: 2_400, used: 1, kept_for_cancels: 0 },
    ])
  })

  it("names what keeps the vault from signing", async (t) => {
    const test = await openTrading(t, { keys: "on_disk" })
    await test.admin.lock()
    const locked = stateOf(test)
    assert.deepEqual(
      [locked.state, locked.words],
      ["locked", "Locked: countersign unlock loads the keys."],
    )
    assert.equal(locked.keys[0]?.locked, true)
    assert.equal(locked.alarms[0]?.name, "not_signing")
  })

  it("tells of freezes, in words that hide nothing", async (t) => {
    const test = await openTrading(t)
    const reason = "up\u202ednim"
    await test.admin.freeze({ scope: "key", name: "mm", reason, cancels: true })
    const { state, words, freezes, alarms } = stateOf(test)
    assert.equal(state, "ready")
    assert.match(words, /^Frozen: The key mm is frozen by operator; .*: up\ufffddnim\. .*thaw\.$/)
    assert.equal(freezes[0]?.reason, "up\ufffddnim")
    assert.equal(alarms[0]?.name, "frozen")
  })

  it("tells what waits for a person, with the command that lets it pass, until it is decided", async (t) => {
    const test = await openTrading(t, { policies: [policy.replace("7000", "9000000")] })
    await test.sign(test.token, limitOrder({ quantity: "0.6" }))
    const [hold, ...others] = stateOf(test).holds
    assert.ok(hold)
    assert.deepEqual(others, [])
    assert.equal(hold.command, `countersign held release ${hold.id}`)
    assert.deepEqual([hold.client, hold.state], ["bot", "pending"])
    assert.match(hold.body, /"quantity":"0.6"/)
    assert.deepEqual(stateOf(test).decided, { allowed: 0, refused: 0, held: 1 })
    await test.admin.decideHold({ id: hold.id, decision: "refused" })
    assert.deepEqual(stateOf(test).holds, [])
  })

  it("shows keys that sign before those that never will again", async (t) => {
    const test = await openTrading(t)
    await test.addKey({ name: "zz", role: "agent" })
    await test.vault.act({ act: "key_removed", name: "mm" })
    assert.deepEqual(
      stateOf(test).keys.map(({ name }) => name),
      ["zz", "mm"],
    )
  })

  it("has a bound for every list, and for all of them together", async (t) => {
    const test = await openTrading(t)
    const { vault } = test
    const [binding] = vault.active().keys.values()
    assert.ok(binding)
    const targets = Array.from({ length: 100 }, () => binding.address)
    const many = Array.from({ length: maxShown + 1 }, (_, n) => n)
    const keys = new Map(many.map((n) => [`key-${n}`, { ...binding, name: `key-${n}`, targets }]))
    const reason = "\u6c34".repeat(200)
    const freezes = many.map((n) => ({
      ...{ scope: "client", name: `bot-${n}`, reason, by: "operator", cancels: true, sinceMs: 1 },
    })) as ReturnType<typeof vault.active>["freezes"]
    const crowded = { ...vault, active: () => ({ ...vault.active(), keys, freezes }) }
    const state = consoleState(crowded, 1)
    assert.equal(state.freezes.length, maxShown)
    assert.ok(state.alarms.length <= maxShown)
    assert.ok(state.keys.length > 0 && state.keys.length < maxShown)
    assert.ok(Buffer.byteLength(JSON.stringify(state)) < maxFrameBytes)
  })
})
