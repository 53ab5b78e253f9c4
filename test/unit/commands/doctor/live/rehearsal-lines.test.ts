import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import {
  rehearseCancels,
  rehearsalLines,
} from "../../../../../src/commands/doctor/live/agent-lines.ts"
import { filesInForce } from "../../../../../src/commands/policy/show.ts"
import { sandboxPanic, sandboxProfile, sandboxUrl } from "../../../../../src/sandbox/profile.ts"
import { adminOf } from "../../../../support/admin-of.ts"
import { openTestVault, permissivePolicy } from "../../../../support/open-test-vault.ts"

const cancelAll = `{operation: cancelAll, body: '{"symbol_id": 1}'}`
const target = `0x${"00".repeat(19)}a1`

type Site = {
  /** Lines of `panic` in venue.yaml. */
  readonly panic?: readonly string[]
  readonly policy?: string
  readonly change?: (venue: string) => string
  readonly client?: "none"
}

/** A vault with a wallet, the agent mm and, unless it is left out, a bot that may use mm. */
async function siteOf(t: TestContext, { panic = [cancelAll], ...site }: Site = {}) {
  const { policy = permissivePolicy, change, client } = site
  const sandbox = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(sandboxPanic, "")
  const venue = change === undefined ? sandbox : change(sandbox)
  const lines = panic.length === 0 ? "" : `panic: [${panic.join(", ")}]\n`
  const test = await openTestVault({ venue: venue + lines, policies: [policy], keys: "on_disk" })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  if (client !== "none") await test.addClient({ name: "bot", keys: ["mm"] })
  const admin = adminOf(test)
  const files = await filesInForce(admin)
  const look = async () => {
    const keys = await test.admin.listKeys()
    const lines = await rehearsalLines(files, keys, admin)
    return lines.map(({ state, message, fix }) => `${state}: ${message} ${fix ?? ""}`)
  }
  return { test, files, look }
}

describe("a rehearsed cancel", () => {
  it("is ok where each agent could sign it, and a bot of each may", async (t) => {
    const [line = "", ...others] = await (await siteOf(t)).look()
    assert.match(line, /^ok: .*not sent: cancelAll by mm\./)
    assert.deepEqual(others, [])
  })

  it("records nothing, takes no nonce, and is no key's that is here", async (t) => {
    const { test, files, look } = await siteOf(t)
    const before = await test.admin.ledgerHead()
    await look()
    const keys = await test.admin.listKeys()
    assert.deepEqual(await test.admin.ledgerHead(), before)
    assert.ok(keys.every(({ last_used: lastUsed }) => lastUsed === null))
    assert.deepEqual(
      rehearseCancels(files, keys).map(({ line, key, why }) => [line.operation, key, why]),
      [["cancelAll", "mm", undefined]],
    )
  })

  const wrong: readonly (readonly [string, Site, RegExp])[] = [
    ["no cancel under panic", { panic: [] }, /cancels nothing.*add to venue\.yaml panic: /],
    [
      "a cancel whose tag isn't known",
      { change: (venue) => venue.replace(/^ {2}cancelAll: .*\n/m, "") },
      /cancelAll by mm can't be signed: .*action_tag/,
    ],
    [
      "an account that the agent may not operate",
      { panic: [`{operation: cancelAll, body: '{}', target: "${target}"}`] },
      /cancelAll by mm can't be signed: .*may not operate/,
    ],
    [
      "a key that there isn't",
      { panic: [`{operation: cancelAll, body: '{}', key: nobody}`] },
      /can't be signed: there is no key nobody/,
    ],
    [
      "no bot that may use the agent",
      { client: "none" },
      /No client may use mm\..*clients add bot/,
    ],
    [
      "a policy that allows no cancel",
      { policy: "policy: orders\nrules:\n  - {name: orders, endpoints: [placeOrder]}\n" },
      /No bot may cancel with mm\. Refused by policy/,
    ],
  ]
  for (const [what, site, says] of wrong) {
    it(`is missing with ${what}`, async (t) => {
      const lines = await (await siteOf(t, site)).look()
      assert.ok(lines.length > 0 && lines.every((line) => line.startsWith("missing: ")))
      assert.ok(
        lines.some((line) => says.test(line)),
        lines.join("\n"),
      )
    })
  }

  it("is missing while the agent is locked", async (t) => {
    const { test, look } = await siteOf(t)
    await test.admin.lock()
    const lines = await look()
    assert.ok(lines.some((line) => /^missing: mm is locked.*countersign unlock$/.test(line)))
  })
})
