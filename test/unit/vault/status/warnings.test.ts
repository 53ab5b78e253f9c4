import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mainVenueText } from "../../../../src/commands/init/init-texts.ts"
import { parseAddress } from "../../../../src/venue/address.ts"
import { warningsOf } from "../../../../src/vault/status/warnings.ts"
import { openTestVault, type TestVault } from "../../../support/open-test-vault.ts"

const placing = "policy: p\nrules:\n  - {name: r, endpoints: [placeOrder]}\n"
const nowMs = Date.parse("2026-11-21T12:00:00Z")
const dayMs = 86_400_000

const warned = ({ vault }: TestVault) => warningsOf(vault.active(), nowMs)
const messagesOf = (test: TestVault) =>
  warned(test)
    .map(({ message }) => message)
    .join()

describe("what an operator is warned of", () => {
  it("is orders that can be placed but not cancelled", async (t) => {
    const venue = mainVenueText(undefined)
    const test = await openTestVault({ venue, policies: [placing] })
    t.after(() => test.remove())
    assert.match(messagesOf(test), /no cancel can be signed/)

    const withTag = venue.replace("# endpoints:", "endpoints: {cancelAll: {action_tag: 9}}\n#")
    const able = await openTestVault({ venue: withTag, policies: [placing] })
    t.after(() => able.remove())
    assert.doesNotMatch(messagesOf(able), /no cancel can be signed/)

    const still = await openTestVault({ venue, policies: [] })
    t.after(() => still.remove())
    assert.deepEqual(warningsOf(still.vault.active(), nowMs), [])
  })

  it("is an agent whose approval isn't known, until it is", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "main", role: "wallet" })
    await test.addKey({ name: "mm", role: "agent" })
    assert.match(messagesOf(test), /agent key mm/)
    const expiresAtMs = nowMs + 8 * dayMs
    await test.vault.act({
      act: "agent_approved",
      name: "mm",
      expires_at: expiresAtMs,
      record: "r",
    })
    assert.deepEqual(warningsOf(test.vault.active(), nowMs), [])
  })

  const ends: readonly (readonly [leftMs: number, words: string | undefined])[] = [
    [7 * dayMs + 1, undefined],
    [7 * dayMs, "ends at 2026-11-28T12:00:00Z"],
    [dayMs, "ends at 2026-11-22T12:00:00Z"],
    [1, "ends at 2026-11-21T12:00:00Z"],
    [0, "ended at 2026-11-21T12:00:00Z"],
    [-dayMs, "ended at 2026-11-20T12:00:00Z"],
  ]
  for (const [leftMs, words] of ends) {
    const expiresAtMs = nowMs + leftMs
    const warnings = (what: string, fix: string) =>
      words === undefined ? [] : [{ message: `${what} ${words}.`, fix }]

    it(`is that an approval ${words ?? "ends soon, not yet"} with ${leftMs} ms left`, async (t) => {
      const test = await openTestVault()
      t.after(() => test.remove())
      await test.addKey({ name: "main", role: "wallet" })
      await test.addKey({ name: "mm", role: "agent", wallet: "main" })
      await test.vault.act({
        act: "agent_approved",
        name: "mm",
        expires_at: expiresAtMs,
        record: "r",
      })
      const fix = "put a successor in its place: countersign agent rotate mm --valid-days 30"
      const expected = warnings("The approval of the agent key mm", fix)
      assert.deepEqual(warningsOf(test.vault.active(), nowMs), expected)
    })

    it(`is that a token ${words ?? "ends soon, not yet"} with ${leftMs} ms left`, async (t) => {
      const test = await openTestVault()
      t.after(() => test.remove())
      await test.addKey({ name: "main", role: "wallet" })
      await test.addClient({ name: "bot", keys: ["main"] })
      const [bot] = test.vault.active().clients
      await test.vault.act({ act: "client_set", client: { ...bot!, expires_at: expiresAtMs } })
      const fix = "give it more time: countersign clients renew bot"
      const expected = warnings("The token of the client bot", fix)
      assert.deepEqual(warningsOf(test.vault.active(), nowMs), expected)
      await test.admin.revokeClient({ name: "bot" })
      assert.deepEqual(warningsOf(test.vault.active(), nowMs), [])
    })
  }

  it("proposes a rotation only where the wallet that approves the successor is held here", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const address = parseAddress("0x2c7536E3605D9C16a7a3D7b1898e529396a65c23")!
    await test.addKey({ name: "away", role: "agent" })
    await test.addKey({ name: "unsaid", role: "agent" })
    const approved = { act: "agent_approved", expires_at: nowMs + 1, record: "r" } as const
    await test.vault.act({ ...approved, name: "away", wallet: address })
    await test.vault.act({ ...approved, name: "unsaid" })
    const approve = "countersign agent approve <new-key> --generate --wallet"
    const fixes = warningsOf(test.vault.active(), nowMs).map(({ fix }) => fix.split(": ")[1])
    assert.deepEqual(fixes, [
      `${approve} ${address} --external --valid-days 30`,
      `${approve} <wallet> --valid-days 30`,
    ])
  })

  it("is no approval of a key that has ended", async (t) => {
    const test = await openTestVault({ settings: "agent_warning: 90d\n" })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const act = { act: "agent_approved", name: "mm", expires_at: nowMs + 1, record: "r" } as const
    await test.vault.act(act)
    assert.equal(warningsOf(test.vault.active(), nowMs).length, 1)
    await test.vault.act({ act: "agent_revoked", name: "mm", record: "r" })
    assert.deepEqual(warningsOf(test.vault.active(), nowMs), [])
  })
})
