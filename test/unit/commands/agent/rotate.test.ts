import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { successorOf } from "../../../../src/commands/agent/rotate.ts"
import type { ClientView } from "../../../../src/contract/views.ts"
import type { KeyView } from "../../../../src/contract/bot-views.ts"

function key(name: string, changes: Partial<KeyView> = {}): KeyView {
  return {
    name,
    address: "0x",
    role: "agent",
    wallet: "main",
    targets: [],
    network: "n",
    approval: "approved",
    expires_at: null,
    last_used: null,
    locked: false,
    ...changes,
  }
}

function client(...keys: readonly string[]): ClientView {
  const usual = {
    rights: [],
    allow_type_b: false,
    forward_only: false,
    idempotency_by: "header",
  } as const
  const never = { expires_at: null, expired: false }
  return { name: "bot", keys, ...usual, ...never, revoked: false }
}

const names: readonly (readonly [from: string, next: string])[] = [
  ["mm", "mm-2"],
  ["mm-2", "mm-3"],
  ["mm-9", "mm-10"],
  ["mm-99", "mm-100"],
  ["mm-1", "mm-1-2"],
  ["mm-02", "mm-02-2"],
  ["desk-2024", "desk-2024-2"],
  ["mm-100", "mm-100-2"],
]

describe("the key that takes another one's place", () => {
  for (const [from, next] of names) {
    it(`is ${next} after ${from}`, () => {
      const found = { keys: [key(from)], clients: [client(from)] }
      assert.deepEqual(successorOf(key(from), found), { kind: "new", name: next })
    })
  }

  it("is the one that was prepared, approved or not", () => {
    for (const approval of ["unknown", "approved"] as const) {
      const prepared = key("mm-2", { approval })
      const found = { keys: [key("mm"), prepared], clients: [client("mm")] }
      assert.deepEqual(successorOf(key("mm"), found), { kind: "held", key: prepared })
    }
  })

  const unfit: readonly (readonly [string, Partial<KeyView>])[] = [
    ["revoked", { approval: "revoked" }],
    ["retired", { approval: "retired" }],
    ["removed", { approval: "removed" }],
    ["another wallet's", { wallet: "other" }],
    ["another network's", { network: "x" }],
    ["a wallet key", { role: "wallet" }],
  ]
  for (const [what, changes] of unfit) {
    it(`is a new one after one that is ${what}`, () => {
      const found = { keys: [key("mm"), key("mm-2", changes)], clients: [client("mm")] }
      assert.deepEqual(successorOf(key("mm"), found), { kind: "new", name: "mm-3" })
    })
  }

  it("is never one that a client uses already", () => {
    const found = { keys: [key("mm"), key("mm-2")], clients: [client("mm"), client("mm-2")] }
    assert.deepEqual(successorOf(key("mm"), found), { kind: "new", name: "mm-3" })
  })
})
