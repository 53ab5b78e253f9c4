import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { ConsoleSession } from "../../src/link/console-methods.ts"
import { openTestVault, outcomeOf, type TestVault } from "../support/open-test-vault.ts"

const guess = "A".repeat(43)

async function open(t: TestContext): Promise<TestVault> {
  const test = await openTestVault()
  t.after(() => test.remove())
  return test
}

async function logIn({ admin, bots }: TestVault): Promise<ConsoleSession> {
  const opened = await bots.openConsole(await linkOf(admin))
  assert.ok(opened.kind === "answer")
  return opened.session
}

async function linkOf(admin: TestVault["admin"]): Promise<{ readonly secret: string }> {
  const { secret } = await admin.linkConsole()
  return { secret }
}

describe("somebody without the console's session", () => {
  it("gets none by a guess, by a link that was used, or by one that was replaced", async (t) => {
    const { admin, bots } = await open(t)
    const replaced = await linkOf(admin)
    const used = await linkOf(admin)
    assert.equal(outcomeOf(await bots.openConsole(used)), "signed")
    for (const link of [{ secret: guess }, used, replaced]) {
      assert.equal(outcomeOf(await bots.openConsole(link)), "unauthorized")
    }
  })

  it("can't use what a browser gives to other ports, nor what a page has alone", async (t) => {
    const test = await open(t)
    const { cookie, proof } = await logIn(test)
    const other = await logIn(test)
    for (const session of [
      { cookie, proof: guess },
      { cookie, proof: cookie },
      { cookie, proof: other.proof },
      { cookie: guess, proof },
      { cookie: other.cookie, proof },
    ]) {
      const frozen = await test.bots.consoleFreeze({ session, reason: "mine" })
      assert.equal(outcomeOf(frozen), "unauthorized")
      assert.equal(outcomeOf(await test.bots.consoleState({ session })), "unauthorized")
      assert.equal(outcomeOf(await test.bots.consoleDecisions({ session })), "unauthorized")
    }
    assert.deepEqual(test.vault.active().freezes, [])
  })

  it("has no session of before a restart", async (t) => {
    const test = await open(t)
    const link = await linkOf(test.admin)
    const session = await logIn(test)
    const again = await test.reopen()
    t.after(() => again.close())
    assert.equal(outcomeOf(await again.bots.openConsole(link)), "unauthorized")
    assert.equal(outcomeOf(await again.bots.consoleState({ session })), "unauthorized")
  })
})
