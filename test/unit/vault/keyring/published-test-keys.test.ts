import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { computeAddress, HDNodeWallet, Mnemonic } from "ethers"

import { parseAddress } from "../../../../src/venue/address.ts"
import { isPublishedTestKey } from "../../../../src/vault/keyring/published-test-keys.ts"

const developmentPhrase = `${"test ".repeat(11)}junk`

function isPublished(address: string): boolean {
  return isPublishedTestKey(parseAddress(address)!)
}

describe("isPublishedTestKey", () => {
  it("knows the accounts of the development mnemonic, which ethers derives", () => {
    const mnemonic = Mnemonic.fromPhrase(developmentPhrase)
    for (let index = 0; index < 20; index++) {
      const wallet = HDNodeWallet.fromMnemonic(mnemonic, `m/44'/60'/0'/0/${index}`)
      assert.ok(isPublished(wallet.address), `account ${index}`)
    }
  })

  it("knows the private keys 1 to 10", () => {
    for (let key = 1; key <= 10; key++) {
      const address = computeAddress(`0x${key.toString(16).padStart(64, "0")}`)
      assert.ok(isPublished(address), `key ${key}`)
    }
  })

  it("knows the keys of the published vectors", () => {
    const keys = [
      "0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318",
      "0x0101010101010101010101010101010101010101010101010101010101010101",
      "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
    ]
    for (const key of keys) assert.ok(isPublished(computeAddress(key)))
  })

  it("knows an address written in lower case", () => {
    assert.ok(isPublished("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"))
  })

  it("lets a fresh key pass", () => {
    assert.equal(isPublished(HDNodeWallet.createRandom().address), false)
  })
})
