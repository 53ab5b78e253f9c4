import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { bodyLines, holdLines } from "../../../../src/commands/held/held.ts"
import { filesInForce } from "../../../../src/commands/policy/show.ts"
import { adminParams, type AdminResults } from "../../../../src/link/calls/methods.ts"
import { connectAdminLink, type AdminLink } from "../../../../src/contract/client.ts"
import { serveLink } from "../../../../src/link/server.ts"
import { type Clock, systemClock } from "../../../../src/vault/process/clock.ts"
import { fakeClock } from "../../../support/fake-clock.ts"
import { openHold, requestEntry } from "../../../support/ledger-ask.ts"
import {
  openTestVault,
  permissivePolicy,
  type TestVault,
} from "../../../support/open-test-vault.ts"

import assert from "node:assert/strict"

/** The vault's admin socket, as an operator's command has it. */
async function dial(
  t: TestContext,
  policies: readonly string[] = [permissivePolicy],
  clock: Clock = systemClock,
): Promise<{ test: TestVault; admin: AdminLink }> {
  const test = await openTestVault({ policies, clock })
  t.after(() => test.remove())
  const path = join(test.installation.stateDir, "admin-test.sock")
  const server = await serveLink<typeof adminParams, AdminResults>({
    ...{ path, params: adminParams, methods: test.admin },
    onError: () => undefined,
  })
  t.after(() => server.close())
  const admin = connectAdminLink(path, {})
  t.after(() => admin.close())
  return { test, admin }
}

describe("an operator's list over the socket", () => {
  it("has every hold, however many there are and however long their bodies", async (t) => {
    const clock = fakeClock()
    const { test, admin } = await dial(t, undefined, clock)
    const { client, key, operation, target } = requestEntry
    await test.addKey({ name: key, role: "agent" })
    await test.addClient({ name: client, keys: [key] })
    const count = 60
    const nowMs = test.vault.now()
    const text = '"\\"'.repeat(10_000)
    for (let index = 0; index < count; index++) {
      const body = JSON.stringify({ n: index, text })
      const opened = await openHold(test.vault.ledger, {
        ...{ client, key, operation, target, body },
        ...{ policy: "p", rule: "large", worst: "one order", expires_at: nowMs + 600_000 },
      })
      assert.ok(opened.ok)
      clock.pass(1_000) // a client has so many bytes in a second
    }
    const holds = await admin.call("listHolds", {})
    assert.deepEqual(
      holds.map(({ body }) => (JSON.parse(body) as { n: number }).n),
      Array.from({ length: count }, (_, index) => index),
    )
    const [first] = holds
    assert.ok(first)
    const shown = holdLines({ ...first, words: "a request" }).join("\n")
    assert.ok(shown.length < 2_000)
    assert.match(shown, /this isn't all of it; countersign held show hold_/)
    const whole = bodyLines(first)
    assert.equal(whole[1], `    text: ${JSON.stringify(text)}`)
    assert.equal((await admin.call("status", {})).holds.length, 50)
  })

  it("has the files in force, however long they are", async (t) => {
    const comment = `# ${'\u{1f512}"'.repeat(60_000)}\n`
    const { test, admin } = await dial(t, [`${comment}${permissivePolicy}`, ""])
    const files = await filesInForce(admin)
    assert.equal(files.policyHash, test.vault.active().policyHash)
    assert.deepEqual(files.texts, test.vault.active().texts)
  })

  it("has every client, and status as many as fit", async (t) => {
    const { test, admin } = await dial(t)
    await test.addKey({ name: "mm", role: "agent" })
    const count = 700
    for (let index = 0; index < count; index++) {
      await test.addClient({ name: `client-${index}`.padEnd(60, "x"), keys: ["mm"] })
    }
    assert.equal((await admin.call("listClients", {})).length, count)
    const { clients } = await admin.call("status", {})
    assert.ok(clients.length > 50 && clients.length < count)
  })
})
