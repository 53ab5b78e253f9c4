import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { StatusSources } from "../../../../src/vault/status/sources.ts"
import { statusLine } from "../../../../src/vault/serve/vault-service.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"

async function openWithKeys(t: TestContext) {
  const test = await openTestVault({ keys: "on_disk" })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent" })
  await test.addClient({ name: "bot", keys: ["mm"] })
  await test.addClient({ name: "old", keys: ["mm"] })
  await test.admin.revokeClient({ name: "old" })
  return test
}

describe("the status line of a vault", () => {
  it("says that it signs, with what, for how many, and by which policy", async (t) => {
    const { vault } = await openWithKeys(t)
    const policy = vault.active().policyHash.slice(0, 12)
    assert.equal(
      statusLine(vault),
      `signs what policies allow; 2 keys, 1 client, policy ${policy}…`,
    )
  })

  it("says what is frozen, and why", async (t) => {
    const { vault, admin } = await openWithKeys(t)
    await admin.freeze({ scope: "client", name: "bot", reason: "a drill", cancels: true })
    const frozen =
      "signs what policies allow, but: The client bot is frozen by operator; cancels and"
    assert.ok(
      statusLine(vault).startsWith(`${frozen} reduce-only orders stay open: a drill; 2 keys`),
    )
  })

  it("says why nothing is signed, before all else", async (t) => {
    const { vault, admin } = await openWithKeys(t)
    await admin.lock()
    assert.match(statusLine(vault), /^signs nothing: The keys are locked: none .* memory; 2 keys/)
    const clock = { ...vault.ledger.clock, doubt: () => "The clock ran ahead." }
    const halted: StatusSources = { ...vault, ledger: { ...vault.ledger, clock } }
    assert.match(statusLine(halted), /^signs nothing: The keys are locked: .*; and 1 more; 2 keys/)
  })

  it("says that the disk is nearly full", async (t) => {
    const { vault } = await openWithKeys(t)
    const disk = { ...vault.disk, low: { freeBytes: 1_024, minFreeBytes: 4_096 } }
    assert.match(statusLine({ ...vault, disk }), /^signs only what reduces risk: .*min_free/)
  })

  it("ends with why the files on disk aren't in force", async (t) => {
    const { vault } = await openWithKeys(t)
    assert.match(statusLine(vault, "refused: a.yaml:1:2: no."), /…; refused: a\.yaml:1:2: no\.$/)
    const alarmed: StatusSources = {
      ...vault,
      differ: () => ({ message: "The last good ones run.", fix: "", sinceMs: vault.now() }),
    }
    assert.match(statusLine(alarmed), /…; The last good ones run\.$/)
  })
})
