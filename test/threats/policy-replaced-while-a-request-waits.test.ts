import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { makeActiveSet } from "../../src/vault/active/active-set.ts"
import { pathsOf } from "../../src/vault/config/installation.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import type { Vault } from "../../src/vault/vault.ts"
import { callOf, limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"
import { readLedger } from "../support/read-ledger.ts"

/** A vault whose set can be exchanged, between an open one and one without any rule. */
async function exchangeable() {
  const test = await openTestVault()
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  const open = test.vault.active()
  const files = { ...open, policies: [], policyHash: "closed" }
  const closed = makeActiveSet(files, [...open.keys.values()], open.clients)
  let active = open
  const vault: Vault = { ...test.vault, active: () => active }
  return {
    test,
    open,
    closed,
    sign: () => signRequest(callOf(token, limitOrder()), vault),
    exchange: (to: typeof open) => (active = to),
  }
}

describe("a policy that is replaced while a request waits for the disk", () => {
  it("leaves the request to the set that judged it, and the next one to the new set", async (t) => {
    const { test, open, closed, sign, exchange } = await exchangeable()
    t.after(() => test.remove())
    const waiting = sign()
    exchange(closed)
    const late = sign()
    assert.equal(outcomeOf(await waiting), "signed")
    assert.equal(outcomeOf(await late), "policy_denied")

    await test.close()
    const rows = readLedger(pathsOf(test.installation).ledgerFile).slice(-3, -1) // before the checkpoint
    assert.deepEqual(
      rows.map(({ kind, row }) => [kind, row["policy_hash"]]),
      [
        ["request", open.policyHash],
        ["refusal", closed.policyHash],
      ],
    )
  })

  it("lets each of 200 requests between 50 exchanges name the one set that decided it", async (t) => {
    const { test, open, closed, sign, exchange } = await exchangeable()
    t.after(() => test.remove())
    const answers = []
    for (let index = 0; index < 200; index++) {
      if (index % 4 === 0) exchange(index % 8 === 0 ? closed : open)
      answers.push(sign())
    }
    const outcomes = (await Promise.all(answers)).map(outcomeOf)
    assert.equal(outcomes.filter((outcome) => outcome === "signed").length, 100)
    assert.equal(outcomes.filter((outcome) => outcome === "policy_denied").length, 100)

    await test.close()
    for (const { kind, row } of readLedger(pathsOf(test.installation).ledgerFile)) {
      if (kind === "request") assert.equal(row["policy_hash"], open.policyHash)
      if (kind === "refusal") assert.equal(row["policy_hash"], closed.policyHash)
    }
  })
})
