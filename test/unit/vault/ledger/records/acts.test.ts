import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Act } from "../../../../../src/vault/ledger/records/row.ts"
import type { Client, KeyEntry } from "../../../../../src/vault/ledger/records/bindings.ts"
import { startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import { otherSigner, signer } from "../../../../support/ledger-ask.ts"
import { ledger, openLedgerForEach, place, reopen } from "../../../../support/ledger-for-each.ts"
import { readLedger } from "../../../../support/read-ledger.ts"

const wallet: KeyEntry = {
  name: "main",
  address: signer,
  role: "wallet",
  wallet: null,
  targets: [],
  network: "cd".repeat(32),
  approval: "unknown",
  expires_at: null,
}
const agent: KeyEntry = {
  ...wallet,
  name: "agent",
  address: otherSigner,
  role: "agent",
  wallet: "main",
  targets: [signer],
}
const client: Client = {
  name: "mm-bot",
  token_hash: `0x${"ef".repeat(32)}`,
  keys: ["agent", "main"],
  rights: ["prices", "freeze"],
  allow_type_b: true,
}

openLedgerForEach()

async function reopened() {
  await reopen()
  const { keys, clients } = ledger.bindings()
  return { keys: [...keys.values()], clients }
}

async function act(...entries: readonly Act[]): Promise<void> {
  for (const entry of entries) await ledger.act(entry, ledgerTime(startMs))
}

describe("an act", () => {
  it("adds keys and clients, which a new start finds in their order", async () => {
    assert.deepEqual(await reopened(), { keys: [], clients: [] })
    const second = { ...client, name: "a-bot", rights: [], allow_type_b: false }
    await act({ act: "key_added", key: wallet }, { act: "key_added", key: agent })
    await act({ act: "client_added", client }, { act: "client_added", client: second })
    assert.deepEqual(await reopened(), { keys: [wallet, agent], clients: [client, second] })
  })

  it("leaves the bindings the very same where it changes none", async () => {
    await act({ act: "key_added", key: wallet })
    const before = ledger.bindings()
    await act({ act: "started", policy_hash: "00" }, { act: "key_exported", name: "main" })
    assert.equal(ledger.bindings(), before)
  })

  it("approves an agent until a time, then revokes it for good", async () => {
    const record = "rec_00000000000000000000000000"
    const expires_at = startMs + 1_000
    await act({ act: "key_added", key: wallet }, { act: "key_added", key: agent })
    const approve = { act: "agent_approved", name: "agent", expires_at, record } as const
    await act(approve)
    const approved = { ...agent, approval: "approved" as const, expires_at }
    assert.deepEqual((await reopened()).keys, [wallet, approved])

    await act({ act: "agent_revoked", name: "agent", record }, approve)
    const revoked = { ...approved, approval: "revoked" as const }
    assert.deepEqual((await reopened()).keys, [wallet, revoked])
  })

  it("makes a client what it is from then on, in its place, and a revoked one stays so", async () => {
    const second = { ...client, name: "a-bot" }
    await act({ act: "client_added", client }, { act: "client_added", client: second })
    const set = { ...client, rights: [], allow_type_b: false, expires_at: startMs + 1_000 }
    const keys: Client["keys"] = ["main"]
    await act({ act: "client_set", client: { ...set, keys } })
    assert.deepEqual(ledger.bindings().clients, [{ ...set, keys }, second])
    assert.deepEqual((await reopened()).clients, [{ ...set, keys }, second])

    await act({ act: "client_revoked", name: client.name })
    const revoked = { ...set, keys, token_hash: null }
    assert.deepEqual((await reopened()).clients, [revoked, second])
  })

  it("is in the journal with what it said", async () => {
    const policyHash = "ab".repeat(32)
    await act({ act: "started", policy_hash: policyHash }, { act: "key_exported", name: "main" })
    const id = await ledger.act({ act: "client_added", client }, ledgerTime(startMs))
    await ledger.close()
    const entries = readLedger(place.file)
    assert.deepEqual(
      entries.map(({ row }) => row["act"]),
      ["started", "key_exported", "client_added"],
    )
    assert.deepEqual(entries.at(-1)?.row, {
      seq: 3,
      kind: "act",
      id,
      at_ms: startMs,
      act: "client_added",
      client: {
        name: "mm-bot",
        token_hash: client.token_hash,
        keys: ["agent", "main"],
        rights: ["prices", "freeze"],
        allow_type_b: true,
      },
    })
  })

  const refused: readonly (readonly [string, Act, string])[] = [
    ["a key's name that is taken", { act: "key_added", key: wallet }, "name_taken"],
    ["a client's name that is taken", { act: "client_added", client }, "name_taken"],
    [
      "a setting of an unknown client",
      { act: "client_set", client: { ...client, name: "nobody" } },
      "name_unknown",
    ],
    [
      "an approval of an unknown key",
      { act: "agent_approved", name: "nobody", expires_at: 1, record: "rec" },
      "name_unknown",
    ],
    [
      "a revocation of an unknown key",
      { act: "agent_revoked", name: "nobody", record: "rec" },
      "name_unknown",
    ],
  ]
  for (const [what, entry, code] of refused) {
    it(`fails on ${what}, and nothing is written`, async () => {
      await act({ act: "key_added", key: wallet }, { act: "client_added", client })
      await assert.rejects(ledger.act(entry, ledgerTime(startMs)), { name: "Fault", code })
      assert.equal(await ledger.count(), 2)
      assert.deepEqual(await reopened(), { keys: [wallet], clients: [client] })
    })
  }

  it("takes a name at once: of two that come together the second fails", async () => {
    const [first, second] = await Promise.allSettled([
      ledger.act({ act: "client_added", client }, ledgerTime(startMs)),
      ledger.act({ act: "client_added", client }, ledgerTime(startMs)),
    ])
    assert.equal(first.status, "fulfilled")
    assert.equal(second.status, "rejected")
  })
})
