import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import type { JudgedRequest } from "../../../src/vault/policy/match/judged-request.ts"
import type { JsonObject } from "../../../src/venue/json.ts"
import { operationIds, type OperationId } from "../../../src/venue/profile.ts"
import { decideAsShown } from "../../support/a-word.ts"
import { readRepositoryFile } from "../../support/markdown.ts"
import { assertSigned, openTestVault, readBody } from "../../support/open-test-vault.ts"
import { requestFor, signer } from "../../support/policy-case.ts"
import { examplePolicy, times } from "./example-policy.ts"

const { outcome, roomFor } = examplePolicy("treasury", {
  client: "treasury",
  key: { name: "main", address: signer, role: "wallet" },
})

const coldWallet = `0x${"2".repeat(40)}`
const subAccount = `0x${"4".repeat(40)}`

/** Noon in Berlin, on a Monday. */
const noon = { nowMs: Date.UTC(2026, 10, 23, 11) }

function moving(operation: OperationId, body: JsonObject): JudgedRequest {
  return requestFor(operation, { body, expiresInMs: 60_000 })
}

function withdrawing(changes: JsonObject = {}): JudgedRequest {
  const body = { asset: "USDC", amount: "100", destination: coldWallet, ...changes }
  return moving("withdraw", body)
}

function transferring(changes: JsonObject = {}): JudgedRequest {
  return moving("transfer", { asset: "USDC", amount: "100", destination: subAccount, ...changes })
}

describe("policies/treasury.yaml", () => {
  it("allows small amounts to known places", () => {
    assert.equal(outcome(withdrawing(), noon), "allow")
    assert.equal(outcome(withdrawing({ destination: `0x${"3".repeat(40)}` }), noon), "allow")
    assert.equal(outcome(transferring(), noon), "allow")
    assert.equal(outcome(withdrawing({ amount: "4999.99" }), noon), "allow")
  })

  for (const [what, changes] of [
    ["to a stranger", { destination: `0x${"5".repeat(40)}` }],
    ["to the sub-account's address", { destination: subAccount }],
    ["of another asset", { asset: "BTC" }],
    ["of more than is allowed at once", { amount: "25000.01" }],
    ["without an amount", { amount: null }],
    ["of an amount in another form", { amount: "1e3" }],
    ["of a list of destinations", { destination: [coldWallet] }],
  ] as const) {
    it(`refuses a withdrawal ${what}`, () => {
      assert.equal(outcome(withdrawing(changes), noon), "body_field_not_allowed")
    })
  }

  it("refuses a withdrawal that would be valid for longer than a minute", () => {
    const long = { ...withdrawing(), expiresInMs: 60_001 }
    assert.equal(outcome(long, noon), "expires_in_over_max")
  })

  it("holds large amounts, from 5000 on, and withdrawals at night", () => {
    assert.equal(outcome(withdrawing({ amount: "5000" }), noon), "hold")
    assert.equal(outcome(transferring({ amount: "5000" }), noon), "hold")
    const night = { nowMs: Date.UTC(2026, 10, 23, 19) }
    assert.equal(outcome(withdrawing(), night), "hold")
    assert.equal(outcome(withdrawing(), { nowMs: night.nowMs - 1 }), "allow")
    assert.equal(outcome(transferring(), night), "allow")
  })

  it("has room for 60000 a day of each asset, withdrawn and transferred together", () => {
    const both = [withdrawing({ amount: "20000" }), transferring({ amount: "40000" })]
    assert.equal(roomFor([...both, withdrawing({ amount: "0.01" })]), 2)
    assert.equal(roomFor([...both, withdrawing({ asset: "USDT", amount: "20000" })]), 3)
  })

  it("has room for ten an hour, however small", () => {
    assert.equal(roomFor(times(11, withdrawing({ amount: "0.01" }))), 10)
  })

  for (const operation of operationIds) {
    if (operation === "withdraw" || operation === "transfer") continue
    it(`allows no ${operation}`, () => {
      assert.equal(outcome(requestFor(operation), noon), "no_rule_covers_endpoint")
    })
  }

  it("signs a large transfer once, after a person released it, with the struct of venue.yaml", async () => {
    const fields =
      "address signerAddress,string serviceChain,string asset,string amount,address destination,uint64 nonce,uint64 expiresAfter"
    const struct = (name: string) => `{signing: B, struct: "${name}(${fields})"}`
    const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() }).replace(
      "\nendpoints:\n",
      `\nendpoints:\n  withdraw: ${struct("Withdraw")}\n  transfer: ${struct("Transfer")}\n`,
    )
    const policies = [readRepositoryFile("policies/treasury.yaml")]
    const test = await openTestVault({ policies, venue })
    try {
      await test.addKey({ name: "main", role: "wallet" })
      const token = await test.addClient({ name: "treasury", keys: ["main"], allowTypeB: true })
      const body = {
        service_chain: "Sandbox",
        signature_chain_id: 842_569_901,
        asset: "USDC",
        amount: "5000",
        destination: subAccount,
      }
      const send = () => test.sign(token, body, { path: "/v1/account/transfer" })

      const beforeMs = Date.now()
      const held = await send()
      assert.equal(held.kind === "refused" && held.refusal.code, "approval_required")
      const [hold] = await test.admin.listHolds()
      const waitMs = 30 * 60_000
      assert.ok(hold !== undefined && hold.expires_at >= beforeMs + waitMs)
      assert.ok(hold.expires_at <= Date.now() + waitMs)
      await decideAsShown(test, hold.id)
      const signed = await send()
      assertSigned(signed)
      assert.equal(readBody(signed)["amount"], "5000")
      const again = await send()
      assert.equal(again.kind === "refused" && again.refusal.code, "approval_required")
    } finally {
      await test.remove()
    }
  })
})
