import { after, before, describe, it } from "node:test"

import { boundSet, makeActiveSet, type ActiveSet } from "../../../../src/vault/active/active-set.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { assertNames, bindingsOf } from "../../../../src/vault/ledger/bindings.ts"
import { openLedger } from "../../../../src/vault/ledger/open-ledger.ts"
import type { Act, ActRow } from "../../../../src/vault/ledger/records/row.ts"
import type { Client, KeyEntry } from "../../../../src/vault/ledger/records/bindings.ts"
import {
  changesOf,
  nothingStands,
  withChanges,
  type StandingFields,
} from "../../../../src/vault/ledger/records/standing.ts"
import { systemClock } from "../../../../src/vault/process/clock.ts"
import { parseAddress } from "../../../../src/venue/address.ts"
import { openTestVault, type TestVault } from "../../../support/open-test-vault.ts"

import assert from "node:assert/strict"

const key: KeyEntry = {
  name: "mm",
  address: parseAddress(`0x${"1".repeat(40)}`)!,
  role: "agent",
  wallet: null,
  targets: [],
  network: `0x${"00".repeat(32)}`,
  approval: "unknown",
  expires_at: null,
}
const client: Client = {
  name: "bot",
  token_hash: `0x${"ab".repeat(32)}`,
  keys: ["mm"],
  rights: [],
  allow_type_b: false,
}

describe("the active set", () => {
  let test: TestVault
  let empty: ActiveSet
  before(async () => {
    test = await openTestVault()
    empty = test.vault.active()
  })
  after(() => test.remove())

  const rowOf = (act: Act): ActRow => ({ kind: "act", id: "rec_1", at_ms: 0, ...act })

  /** What stands once acts were followed. */
  function stands(...entries: readonly Act[]): StandingFields {
    return entries.reduce((before, entry) => {
      return withChanges(before, changesOf(rowOf(entry), before))
    }, nothingStands)
  }

  function setOf(standing: StandingFields): ActiveSet {
    return boundSet(empty, bindingsOf(standing), empty)
  }

  const added: readonly Act[] = [
    { act: "key_added", key },
    { act: "client_added", client },
  ]
  const revoked: Act = { act: "agent_revoked", name: "mm", record: "r" }

  it("has the hash of its files, whichever keys and clients there are", () => {
    const all = [...added, revoked]
    const hashes = all.map((_, last) => setOf(stands(...all.slice(0, last + 1))).policyHash)
    assert.deepEqual([...new Set(hashes)], [empty.policyHash])
  })

  it("leaves the set before an act as it was", () => {
    const before = stands(...added)
    const set = setOf(before)
    const after = setOf(withChanges(before, changesOf(rowOf(revoked), before)))
    assert.equal(set.keys.get("mm")?.approval, "unknown")
    assert.equal(after.keys.get("mm")?.approval, "revoked")
    assert.ok(Object.isFrozen(set))
  })

  it("makes nothing anew of keys and clients where an act changes neither", () => {
    const set = boundSet(empty, { ...empty, keys: new Map([["mm", key]]), clients: [client] })
    const next = boundSet(set, { ...set, acceptedHash: "h" }, set)
    assert.equal(next.acceptedHash, "h")
    assert.equal(next.clientByTokenHash, set.clientByTokenHash)
    const changed = boundSet(set, { ...set, clients: [...set.clients] }, set)
    assert.notEqual(changed.clientByTokenHash, set.clientByTokenHash)
  })

  it("keeps a revoked agent revoked, whatever is approved afterwards", () => {
    const approved = { act: "agent_approved", name: "mm", expires_at: 5, record: "r" } as const
    assert.equal(setOf(stands(...added, approved)).keys.get("mm")?.approval, "approved")
    assert.equal(setOf(stands(...added, revoked, approved)).keys.get("mm")?.approval, "revoked")
  })

  it("has nothing of what a client was before it was set", () => {
    const set = (to: Client): Act => ({ act: "client_set", client: to })
    const other = { ...client, idempotency_by: "client_order_id", expires_at: 5 } as const
    const clients = (...acts: readonly Act[]) => bindingsOf(stands(...added, ...acts)).clients
    assert.deepEqual(clients(set(other)), [other])
    assert.deepEqual(clients(set(other), set(client)), [client])
  })

  it("never puts a key or a client in the place of another", () => {
    const set = makeActiveSet(empty, [key], [client])
    const other = { ...key, role: "wallet" as const }
    assert.throws(() => assertNames({ act: "key_added", key: other }, set), { code: "name_taken" })
    const twin = { ...client, allow_type_b: true }
    assert.throws(() => assertNames({ act: "client_added", client: twin }, set), {
      code: "name_taken",
    })
  })

  it("is the same after a restart as it was in memory", async (t) => {
    const own = await openTestVault()
    t.after(() => own.remove())
    await own.addKey({ name: "main", role: "wallet" })
    await own.addKey({ name: "mm", role: "agent", wallet: "main" })
    await own.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
    await own.vault.act({ act: "agent_approved", name: "mm", expires_at: 7, record: "r" })
    const before = own.vault.active()
    await own.close()

    const file = pathsOf(own.installation).ledgerFile
    const ledger = await openLedger({ file, clock: systemClock })
    t.after(() => ledger.close())
    const after = boundSet(before, ledger.bindings())
    assert.deepEqual([after.keys, after.clients], [before.keys, before.clients])
  })
})
