import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mainVenueText } from "../../src/commands/init/init-texts.ts"
import { makeActiveSet } from "../../src/vault/active/active-set.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import type { Vault } from "../../src/vault/vault.ts"
import { parseProfile } from "../../src/venue/profile/profile-file.ts"
import {
  approval,
  approvePath,
  callOf,
  limitOrder,
  openTestVault,
  outcomeOf,
} from "../support/open-test-vault.ts"

describe("a key under another network's venue.yaml", () => {
  it("signs nothing, of either type", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const wallet = await test.addKey({ name: "main", role: "wallet" })
    const agent = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const token = await test.addClient({ name: "bot", keys: ["mm", "main"], allowTypeB: true })
    const main = parseProfile(mainVenueText(undefined), "venue.yaml")
    assert.ok(main.ok)

    const set = test.vault.active()
    const moved = makeActiveSet(
      { ...set, profile: main.value },
      [...set.keys.values()],
      set.clients,
    )
    const vault: Vault = { ...test.vault, active: () => moved }
    const order = await signRequest(callOf(token, limitOrder()), vault)
    assert.equal(outcomeOf(order), "wrong_network")
    const body = approval(agent.address, wallet.address, {
      service_chain: "Mainnet",
      signature_chain_id: 84_256,
    })
    const ask = callOf(token, body, { path: approvePath, key: "main" })
    assert.equal(outcomeOf(await signRequest(ask, vault)), "wrong_network")
  })
})

describe("an account operation for another network", () => {
  it("is refused by its chain id and by its service chain", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const wallet = await test.addKey({ name: "main", role: "wallet" })
    const agent = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const token = await test.addClient({ name: "bot", keys: ["main"], allowTypeB: true })
    const ask = { path: approvePath }
    for (const changes of [{ signature_chain_id: 84_256 }, { service_chain: "Mainnet" }]) {
      const body = approval(agent.address, wallet.address, changes)
      assert.equal(outcomeOf(await test.sign(token, body, ask)), "invalid_request")
    }
  })
})
