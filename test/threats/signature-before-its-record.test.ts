import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { Fault } from "../../src/std/fault.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import type { Vault } from "../../src/vault/vault.ts"
import { callOf, limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"

// That a real crash keeps the record is shown in test/system/ledger-crash.test.ts; here, the order of calls.
describe("a signature", () => {
  async function watched() {
    const test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const calls: string[] = []
    const { ledger, keyring } = test.vault
    const vault: Vault = {
      ...test.vault,
      ledger: {
        ...ledger,
        decide: (keys, step) => {
          const decided = ledger.decide(keys, (turn) =>
            step({
              ...turn,
              reserve(ask) {
                calls.push("reserve")
                return turn.reserve(ask)
              },
            }),
          )
          return decided.finally(() => calls.push("durable"))
        },
      },
      keyring: {
        ...keyring,
        sign: (name, digest) => {
          calls.push("sign")
          return keyring.sign(name, digest)
        },
      },
    }
    return { test, token, calls, vault }
  }

  it("leaves once its record is durable, which is asked for before it is made", async (t) => {
    const { test, token, calls, vault } = await watched()
    t.after(() => test.remove())
    await signRequest(callOf(token, limitOrder()), vault).then(() => calls.push("answered"))
    assert.deepEqual(calls, ["reserve", "sign", "durable", "answered"])
  })

  it("doesn't leave when its record doesn't become durable", async (t) => {
    const { test, token, calls, vault } = await watched()
    t.after(() => test.remove())
    const { ledger } = vault
    const failing: Vault = {
      ...vault,
      ledger: {
        ...ledger,
        async decide(keys, step) {
          await ledger.decide(keys, step)
          throw new Fault("ledger_unavailable", "The commit failed.")
        },
      },
    }
    const attempt = signRequest(callOf(token, limitOrder()), failing)
    await assert.rejects(attempt, { code: "ledger_unavailable" })
    assert.ok(calls.includes("sign"))
  })

  it("isn't made when the record can't be asked for", async (t) => {
    const { test, token, calls, vault } = await watched()
    t.after(() => test.remove())
    await test.vault.ledger.close()
    const attempt = signRequest(callOf(token, limitOrder()), vault)
    await assert.rejects(attempt, { code: "ledger_unavailable" })
    assert.equal(calls.includes("sign"), false)
  })

  it("isn't made, and no nonce is taken, by asking whether it would be", async (t) => {
    const { test, token, calls } = await watched()
    t.after(() => test.remove())
    const before = await test.vault.ledger.count()
    assert.equal(test.check(token, limitOrder()).kind, "answer")
    assert.equal(await test.vault.ledger.count(), before)
    assert.deepEqual(calls, [])
  })

  it("doesn't leave when the key is gone or the keys are locked", async (t) => {
    const { test, token, vault } = await watched()
    t.after(() => test.remove())
    const without: Vault = {
      ...vault,
      keyring: {
        ...vault.keyring,
        sign: () => {
          throw new Fault("key_not_found", "No key of this name is held.")
        },
      },
    }
    const attempt = signRequest(callOf(token, limitOrder()), without)
    await assert.rejects(attempt, { code: "key_not_found" })
    test.vault.keyring.lock()
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "locked")
  })

  it("is judged and reserved without a pause: nothing slips in between", async (t) => {
    const { test, token, calls, vault } = await watched()
    t.after(() => test.remove())
    const signing = signRequest(callOf(token, limitOrder()), vault)
    assert.deepEqual(calls, ["reserve"], "reserved before the call gave way for the first time")
    await signing
  })
})
