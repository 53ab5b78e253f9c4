import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { parseStructType, type StructValue } from "../../../src/venue/signing-hash.ts"
import { typedData } from "../../../src/venue/typed-data.ts"

const domain = { name: "Service", version: "1", chainId: 84_256n }
const signer = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

function described(text: string, values: Readonly<Record<string, StructValue>>, chain = domain) {
  const struct = parseStructType(text)
  assert.ok(struct.ok)
  return typedData(chain, struct.value, new Map(Object.entries(values)))
}

describe("typed data", () => {
  it("is the JSON that eth_signTypedData_v4 takes", () => {
    const values = { signerAddress: signer, isFinal: true, label: "é", nonce: 1_780_000_000_000n }
    const text = "Note(address signerAddress,bool isFinal,string label,uint64 nonce)"
    assert.deepEqual(described(text, values), {
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "chainId", type: "uint256" },
          { name: "verifyingContract", type: "address" },
        ],
        Note: [
          { name: "signerAddress", type: "address" },
          { name: "isFinal", type: "bool" },
          { name: "label", type: "string" },
          { name: "nonce", type: "uint64" },
        ],
      },
      primaryType: "Note",
      domain: {
        name: "Service",
        version: "1",
        chainId: 84_256,
        verifyingContract: "0x0000000000000000000000000000000000000000",
      },
      message: { signerAddress: signer, isFinal: true, label: "é", nonce: 1_780_000_000_000 },
    })
  })

  it("writes an integer as digits from the first one that a number can't hold for sure", () => {
    const largest = BigInt(Number.MAX_SAFE_INTEGER)
    const numberOf = (x: bigint) => described("S(uint256 x)", { x }).message["x"]
    assert.equal(numberOf(largest), Number.MAX_SAFE_INTEGER)
    assert.equal(numberOf(largest + 1n), "9007199254740992")
    const chainOf = (chainId: bigint) =>
      described("S(bool x)", { x: true }, { ...domain, chainId }).domain["chainId"]
    assert.equal(chainOf(largest), Number.MAX_SAFE_INTEGER)
    assert.equal(chainOf(largest + 1n), "9007199254740992")
  })

  it("refuses values that aren't exactly the struct's, and the name of the domain", () => {
    assert.throws(() => described("S(bool x,bool y)", { x: true }), RangeError)
    assert.throws(() => described("S(bool x)", { x: true, y: true }), RangeError)
    assert.throws(() => described("S(bool x)", { y: true }), RangeError)
    assert.throws(() => described("EIP712Domain(bool x)", { x: true }), RangeError)
  })
})
