import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { HDNodeWallet, Mnemonic } from "ethers"

import { mainVenueText } from "../../src/commands/init/init-texts.ts"
import { limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"

// The mnemonic of the development nodes, from which their documentation prints twenty keys.
const development = Mnemonic.fromPhrase(`${"test ".repeat(11)}junk`)

function published(index: number): Uint8Array {
  const wallet = HDNodeWallet.fromMnemonic(development, `m/44'/60'/0'/0/${index}`)
  return Buffer.from(wallet.privateKey.slice(2), "hex")
}

describe("a private key that documentation prints", () => {
  it("is refused on the main network, and nothing of it stays", async (t) => {
    const test = await openTestVault({ venue: mainVenueText(undefined) })
    t.after(() => test.remove())
    for (const index of [0, 1, 19]) {
      const added = test.addKey({ name: "main", role: "wallet", secret: published(index) })
      await assert.rejects(added, { code: "key_invalid" })
    }
    assert.equal(test.vault.keyring.addressOf("main"), undefined)
    assert.equal(await test.vault.ledger.count(), 0)
  })

  it("is refused on any other network too, but for the sandbox's", async (t) => {
    const venue = mainVenueText(undefined)
      .replaceAll("84256", "84257")
      .replace("service_chain: Mainnet", "service_chain: Testnet")
    const other = await openTestVault({ venue })
    t.after(() => other.remove())
    const added = other.addKey({ name: "main", role: "wallet", secret: published(0) })
    await assert.rejects(added, { code: "key_invalid" })

    const sandbox = await openTestVault()
    t.after(() => sandbox.remove())
    await sandbox.addKey({ name: "mm", role: "agent", secret: published(0) })
    const token = await sandbox.addClient({ name: "bot", keys: ["mm"] })
    assert.equal(outcomeOf(await sandbox.sign(token, limitOrder())), "signed")
  })
})
