import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { getAddress as ethersAddress, SigningKey, computeAddress } from "ethers"
import fc from "fast-check"
import { checksumAddress as viemAddress } from "viem"

import { fromHex, toHex } from "../../../src/std/bytes.ts"
import { addressOfPublicKey, parseAddress } from "../../../src/venue/address.ts"
import { numRuns } from "../../support/runs.ts"

const signer = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(toHex)

// The test cases of EIP-55.
const published = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]

describe("parseAddress", () => {
  for (const address of published) {
    it(`takes ${address} of EIP-55 in its own form, in lower and in upper case`, () => {
      assert.equal(parseAddress(address), address)
      assert.equal(parseAddress(address.toLowerCase()), address)
      assert.equal(parseAddress(`0x${address.slice(2).toUpperCase()}`), address)
    })
  }

  const refused: readonly [title: string, text: string][] = [
    ["nothing", ""],
    ["an address without 0x", signer.slice(2)],
    ["an address with 0X", signer.replace("0x", "0X")],
    ["39 digits", signer.slice(0, -1)],
    ["41 digits", `${signer}0`],
    ["a space in front", ` ${signer}`],
    ["a line feed at the end", `${signer}\n`],
    ["a letter that isn't hex", signer.replace("c7", "g7")],
    ["full-width digits", signer.replace("2", "２")],
    ["another letter's case", signer.replace("c75", "C75")],
    ["an ENS name", "venue.eth"],
    ["an ICAP address", "XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS"],
  ]
  for (const [title, text] of refused) {
    it(`refuses ${title}`, () => {
      assert.equal(parseAddress(text), undefined)
    })
  }

  it("writes what ethers and viem write, for any 20 bytes", () => {
    fc.assert(
      fc.property(addresses, (lower) => {
        const address = parseAddress(lower)
        assert.equal(address, ethersAddress(lower))
        assert.equal(address, viemAddress(lower as `0x${string}`))
      }),
      numRuns(500),
    )
  })

  it("refuses any address of mixed case in which one letter changes its case", () => {
    fc.assert(
      fc.property(addresses, fc.nat(), (lower, pick) => {
        const address = parseAddress(lower)!
        const letters = [...address.matchAll(/[a-fA-F]/g)].map(({ index }) => index)
        fc.pre(letters.length > 0)
        const changed = swapCase(address, letters[pick % letters.length]!)
        const digits = changed.slice(2)
        fc.pre(digits !== digits.toLowerCase() && digits !== digits.toUpperCase())
        assert.equal(parseAddress(changed), undefined)
      }),
      numRuns(500),
    )
  })
})

describe("addressOfPublicKey", () => {
  it("gives the address that ethers computes", () => {
    const key = `0x${"01".repeat(32)}`
    const publicKey = fromHex(new SigningKey(key).publicKey)!
    assert.equal(addressOfPublicKey(publicKey), computeAddress(key))
    assert.equal(addressOfPublicKey(publicKey), "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1")
  })

  it("takes 65 bytes, not the 33 of a compressed key nor the 64 without their prefix", () => {
    for (const length of [33, 64, 66]) {
      assert.throws(() => addressOfPublicKey(new Uint8Array(length)), RangeError)
    }
  })
})

function swapCase(text: string, index: number): string {
  const letter = text.charAt(index)
  const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
  return text.slice(0, index) + swapped + text.slice(index + 1)
}
