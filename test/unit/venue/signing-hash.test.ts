import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { toHex } from "../../../src/std/bytes.ts"
import { parseAddress, type Address } from "../../../src/venue/address.ts"
import { agentStruct, approveAgentStruct } from "../../../src/venue/builtin-profile.ts"
import {
  actionHash,
  typeADigest,
  typeBDigest,
  parseStructType,
  type StructType,
} from "../../../src/venue/signing-hash.ts"

const domain = { name: "Service", version: "1", chainId: 84256n }
const signer = addressOf("0x2c7536E3605D9C16a7a3D7b1898e529396a65c23")
const target = addressOf("0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1")
const withTarget = structOf(
  "Agent(address signerAddress,address targetAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
)
const order = '{"symbol_id":1}'

type Message = Parameters<typeof typeADigest>[0]
const message: Message = {
  domain,
  struct: agentStruct,
  parties: { signer, target: undefined },
  actionHash: actionHash(7, order),
  validity: { nonce: 1763600000000, expiresAfterMs: 1763600060000 },
}

function addressOf(text: string): Address {
  const address = parseAddress(text)
  assert.ok(address)
  return address
}

function structOf(text: string): StructType {
  const struct = parseStructType(text)
  assert.ok(struct.ok)
  return struct.value
}

function digestOf(changes: Partial<Message>): string {
  return toHex(typeADigest({ ...message, ...changes }))
}

describe("actionHash", () => {
  it("takes every byte as a tag, each with its own hash", () => {
    const hashes = Array.from({ length: 256 }, (_, tag) => toHex(actionHash(tag, order)))
    assert.equal(new Set(hashes).size, 256)
  })

  it("refuses a tag that isn't a byte, which would be cut to another operation's", () => {
    for (const tag of [-1, 256, 256 + 7, 7.5, NaN, Infinity]) {
      assert.throws(() => actionHash(tag, order), RangeError)
    }
  })
})

describe("typeADigest", () => {
  it("changes with everything that is signed", () => {
    const { nonce, expiresAfterMs } = message.validity
    const digests = [
      digestOf({}),
      digestOf({ domain: { ...domain, chainId: 1n } }),
      digestOf({ parties: { signer: target, target: undefined } }),
      digestOf({ actionHash: actionHash(8, order) }),
      digestOf({ actionHash: actionHash(7, '{"symbol_id":2}') }),
      digestOf({ validity: { nonce: nonce + 1, expiresAfterMs } }),
      digestOf({ validity: { nonce, expiresAfterMs: expiresAfterMs + 1 } }),
      digestOf({ validity: { nonce: expiresAfterMs, expiresAfterMs: nonce } }),
      digestOf({ struct: withTarget, parties: { signer, target } }),
      digestOf({ struct: withTarget, parties: { signer, target: signer } }),
      digestOf({ struct: withTarget, parties: { signer: target, target: signer } }),
    ]
    assert.equal(new Set(digests).size, digests.length)
  })

  it("never leaves a target out: with one, the layout must hold it, and without, it must not", () => {
    assert.throws(() => digestOf({ parties: { signer, target } }), RangeError)
    assert.throws(() => digestOf({ struct: withTarget }), RangeError)
  })

  it("refuses an action hash that isn't 32 bytes", () => {
    for (const length of [0, 31, 33]) {
      assert.throws(() => digestOf({ actionHash: new Uint8Array(length) }), RangeError)
    }
  })

  it("refuses a nonce or an expiry that isn't a whole number from zero on", () => {
    for (const odd of [-1, 0.5, NaN, Infinity]) {
      const { nonce, expiresAfterMs } = message.validity
      assert.throws(() => digestOf({ validity: { nonce: odd, expiresAfterMs } }), RangeError)
      assert.throws(() => digestOf({ validity: { nonce, expiresAfterMs: odd } }), RangeError)
    }
  })
})

describe("typeBDigest", () => {
  it("refuses values that aren't exactly the struct's", () => {
    const values = new Map<string, string | bigint>([
      ["signerAddress", signer],
      ["serviceChain", "Mainnet"],
      ["agentAddress", target],
      ["authorizedAddress", signer],
      ["validDays", 30n],
      ["label", "mm-1"],
      ["nonce", 1763600000100n],
      ["expiresAfter", 1763600060100n],
    ])
    assert.equal(typeBDigest(domain, approveAgentStruct, values).length, 32)
    const more = new Map(values).set("targetAddress", target)
    assert.throws(() => typeBDigest(domain, approveAgentStruct, more), RangeError)
    values.delete("label")
    assert.throws(() => typeBDigest(domain, approveAgentStruct, values), RangeError)
  })
})
