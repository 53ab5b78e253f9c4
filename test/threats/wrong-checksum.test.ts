import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  approval,
  approvePath,
  limitOrder,
  openTestVault,
  outcomeOf,
} from "../support/open-test-vault.ts"

/** Another case of one letter: still 40 hex digits, with a checksum that is wrong. */
function mistyped(address: string): string {
  const at = 2 + address.slice(2).search(/[a-f]/i)
  const digit = address.charAt(at)
  const other = digit === digit.toLowerCase() ? digit.toUpperCase() : digit.toLowerCase()
  return `${address.slice(0, at)}${other}${address.slice(at + 1)}`
}

describe("an address with a wrong checksum", () => {
  it("is refused wherever a body has one", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const { address: wallet } = await test.addKey({ name: "main", role: "wallet" })
    const { address: agent } = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const token = await test.addClient({ name: "bot", keys: ["main"], allowTypeB: true })

    for (const name of ["signer_address", "target_address"]) {
      const order = (address: string) => test.sign(token, limitOrder({ [name]: address }))
      assert.equal(outcomeOf(await order(mistyped(wallet))), "invalid_request", name)
      assert.equal(outcomeOf(await order(wallet)), "signed", name)
    }
    const ask = { path: approvePath }
    for (const body of [
      approval(mistyped(agent), wallet),
      approval(agent, mistyped(wallet)),
      approval(agent, wallet, { signer_address: mistyped(wallet) }),
    ]) {
      assert.equal(outcomeOf(await test.sign(token, body, ask)), "invalid_request")
    }
    assert.equal(outcomeOf(await test.sign(token, approval(agent, wallet), ask)), "signed")
  })
})
