import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { ActiveSet } from "../../../../src/vault/active/active-set.ts"
import type { KeyEntry } from "../../../../src/vault/ledger/records/bindings.ts"
import type { RequestRow } from "../../../../src/vault/ledger/records/row.ts"
import type { FoundRequest } from "../../../../src/vault/ledger/store/store.ts"
import { actFollowing } from "../../../../src/vault/request/settle-record.ts"
import { addressOf } from "../../../support/policy-case.ts"

const dayMs = 86_400_000
const decidedAtMs = 1_780_000_000_000

function keyEntry(name: string, digit: string, changes: Partial<KeyEntry>): KeyEntry {
  return {
    name,
    address: addressOf(digit),
    role: "agent",
    wallet: null,
    targets: [],
    network: "0x",
    approval: "unknown",
    expires_at: null,
    ...changes,
  }
}

const wallet = keyEntry("main", "1", { role: "wallet" })
const own = keyEntry("own", "2", { wallet: "main" })
const foreign = keyEntry("foreign", "3", { wallet: "other" })
const orphan = keyEntry("orphan", "4", {})
const elsewhere = addressOf("6")
const distant = keyEntry("distant", "7", { wallet: elsewhere })
const gone = keyEntry("gone", "5", { wallet: "main", approval: "revoked" })

/** Only `keys` matters to what follows. */
const set = {
  keys: new Map([wallet, own, foreign, orphan, distant, gone].map((key) => [key.name, key])),
} as unknown as ActiveSet

type Changes = Partial<RequestRow> & { readonly heard?: FoundRequest["heard"] }

function record(
  operation: RequestRow["operation"],
  body: Readonly<Record<string, unknown>>,
  { heard = "sent", ...changes }: Changes = {},
): FoundRequest {
  const row: RequestRow = {
    ...{ kind: "request", id: "rec_1", at_ms: decidedAtMs },
    ...{ client: "bot", key: "main", operation, path: "/v1/x", target: null },
    ...{ signer: wallet.address, body: JSON.stringify(body), nonce: 1, expires_after: 2 },
    ...{ policy_hash: "", rule: "p/r", purpose: "forward" },
    ...changes,
  }
  return { row, heard, status: null, code: null, answered: undefined }
}

const approve = (agent: KeyEntry, validDays = 30, changes: Changes = {}) =>
  record("approveAgent", { agent_address: agent.address, valid_days: validDays }, changes)
const revoke = (agent: KeyEntry, changes: Changes = {}) =>
  record("revokeAgent", { agent_address: agent.address }, changes)

describe("what follows from an accepted request", () => {
  it("is nothing for what isn't about agents", () => {
    assert.equal(actFollowing(record("placeOrder", { agent_address: own.address }), set), undefined)
  })

  it("is an end of the agent, counted from when it was signed", () => {
    assert.deepEqual(actFollowing(approve(own), set), {
      act: "agent_approved",
      name: "own",
      expires_at: decidedAtMs + 30 * dayMs,
      record: "rec_1",
    })
  })

  it("is never an end that no date can hold", () => {
    const act = actFollowing(approve(own, 2 ** 32 - 1), set)
    assert.ok(act?.act === "agent_approved")
    assert.ok(Number.isSafeInteger(act.expires_at))
    assert.ok(!Number.isNaN(new Date(act.expires_at).getTime()))
  })

  it("is the revocation of the agent, in whatever case its address came", () => {
    const lower = record("revokeAgent", { agent_address: own.address.toLowerCase() })
    assert.deepEqual(actFollowing(lower, set), {
      act: "agent_revoked",
      name: "own",
      record: "rec_1",
    })
  })

  it("is nothing for the agent of another wallet: who may revoke one can't end another's", () => {
    assert.equal(actFollowing(revoke(foreign), set), undefined)
    assert.equal(actFollowing(approve(foreign), set), undefined)
  })

  it("is believed of an agent whose wallet isn't held here", () => {
    assert.equal(actFollowing(revoke(orphan), set)?.act, "agent_revoked")
  })

  it("is nothing for a wallet key, an address that isn't held and a revoked agent", () => {
    const stranger = { ...own, address: addressOf("e") }
    for (const key of [wallet, stranger, gone]) {
      assert.equal(actFollowing(revoke(key), set), undefined, key.name)
      assert.equal(actFollowing(approve(key), set), undefined, key.name)
    }
  })

  it("is nothing once a final word was heard: the first one stays", () => {
    for (const heard of ["accepted", "refused"] as const) {
      assert.equal(actFollowing(approve(own, 30, { heard }), set), undefined)
      assert.equal(actFollowing(revoke(own, { heard }), set), undefined)
    }
    for (const heard of [null, "unsent", "sent", "unknown"] as const) {
      assert.equal(actFollowing(revoke(own, { heard }), set)?.act, "agent_revoked")
    }
  })

  it("is an end counted anew for a renewal that says its days, and nothing for one that doesn't", () => {
    const days = { agent_address: own.address, valid_days: 7 }
    assert.deepEqual(actFollowing(record("renewAgent", days), set), {
      act: "agent_approved",
      name: "own",
      expires_at: decidedAtMs + 7 * dayMs,
      record: "rec_1",
    })
    assert.equal(actFollowing(record("renewAgent", { agent_address: own.address }), set), undefined)
  })

  it("names the wallet that the operator had sign elsewhere, and no other", () => {
    const byOperator = { client: "operator", key: elsewhere, signer: elsewhere }
    for (const agent of [orphan, distant]) {
      const act = actFollowing(approve(agent, 30, byOperator), set)
      assert.ok(act?.act === "agent_approved")
      assert.equal(act.wallet, elsewhere)
    }
    assert.equal(actFollowing(approve(own, 30, byOperator), set), undefined)
    const bots = actFollowing(approve(orphan, 30, { ...byOperator, client: "bot" }), set)
    assert.ok(bots?.act === "agent_approved")
    assert.equal(bots.wallet, undefined)
  })

  it("is nothing for an agent of a wallet elsewhere when a wallet held here signed", () => {
    assert.equal(actFollowing(approve(distant), set), undefined)
    assert.equal(actFollowing(revoke(distant), set), undefined)
  })
})
