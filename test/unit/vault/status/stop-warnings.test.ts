import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxPanic, sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { stopWarnings } from "../../../../src/vault/status/warnings.ts"
import { openTestVault, type TestVault } from "../../../support/open-test-vault.ts"

const sandbox = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(sandboxPanic, "")
const line = "panic: [{operation: cancelAll, key: mm, body: '{}'}]\n"
const watched = "heartbeats: {bot: {within: 10s, then: panic}}\n"

async function open(t: TestContext, settings: string, venue: string): Promise<TestVault> {
  const test = await openTestVault({ settings, venue, policies: [] })
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  return test
}

const warnings = (test: TestVault): readonly string[] =>
  stopWarnings(test.vault.active()).map(({ message }) => message)

describe("the warnings of heartbeats and panics", () => {
  it("say nothing where neither is meant, and nothing where all is there", async (t) => {
    assert.deepEqual(warnings(await open(t, "", "extends: builtin\n")), [])
    const test = await open(t, watched, sandbox + line)
    await test.addClient({ name: "bot", keys: ["mm"], rights: ["heartbeat"] })
    assert.deepEqual(warnings(test), [])
  })

  it("say that a panic cancels nothing where something may be placed and venue.yaml has no panic lines", async (t) => {
    const policies = ["policy: p\nrules: [{name: all, endpoints: [placeOrder]}]\n"]
    const test = await openTestVault({ venue: sandbox, policies })
    t.after(() => test.remove())
    assert.match(warnings(test).join(), /^A panic freezes and can't cancel; add .* panic: /)
    const whole = await openTestVault({ venue: sandbox + sandboxPanic, policies })
    t.after(() => whole.remove())
    assert.deepEqual(warnings(whole), [])
    const idle = await openTestVault({ venue: sandbox, policies: [] })
    t.after(() => idle.remove())
    assert.deepEqual(warnings(idle), [])
  })

  it("name a client that can send no heartbeat", async (t) => {
    const test = await open(t, "heartbeats: {bot: {within: 10s}}\n", sandbox)
    assert.match(warnings(test).join(), /names bot, and there is no such client/)
    await test.addClient({ name: "bot", keys: ["mm"] })
    assert.match(warnings(test).join(), /names bot, and it doesn't have --right heartbeat/)
  })

  it("name a client that was revoked", async (t) => {
    const test = await open(t, "heartbeats: {bot: {within: 10s}}\n", sandbox)
    await test.addClient({ name: "bot", keys: ["mm"], rights: ["heartbeat"] })
    assert.deepEqual(warnings(test), [])
    await test.admin.revokeClient({ name: "bot" })
    assert.match(warnings(test).join(), /names bot/)
  })

  it("name the lines of venue.yaml without which a panic can't cancel", async (t) => {
    const test = await open(t, watched, "extends: builtin\n")
    await test.addClient({ name: "bot", keys: ["mm"], rights: ["heartbeat"] })
    const [panic, tag, baseUrl, ...others] = warnings(test)
    assert.match(panic ?? "", /add to venue\.yaml: panic:/)
    assert.match(tag ?? "", /action_tag/)
    assert.match(baseUrl ?? "", /base_url/)
    assert.deepEqual(others, [])
  })

  it("name a key of panic that isn't there", async (t) => {
    const test = await open(t, "", sandbox + line.replace("mm", "nobody"))
    assert.match(warnings(test).join(), /names the key nobody, and there is no such key/)
  })
})
