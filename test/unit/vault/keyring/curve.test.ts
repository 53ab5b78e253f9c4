import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { fromHex, toHex } from "../../../../src/std/bytes.ts"
import type { Digest } from "../../../../src/venue/signing-hash.ts"
import {
  addressOfSecret,
  isSecretKey,
  recoverAddress,
  signDigest,
} from "../../../../src/vault/keyring/curve.ts"

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const secret = bytes32(0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318n)
const address = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"
const digest = bytes32(
  0xc45ebde6958419bee37d296bd8ba33a070ad96cb354d2899c6f3d6253c40f950n,
) as Digest
const signature = {
  r: "0x816c421ba1f4a3917cf4a8db0dd3872a07e43d83d6037d0bb19e31041725b69d",
  s: "0x09db43cac39db41aaeb94163cacae315d2f9f4b537fe941789e32893647bbae8",
  v: 28,
} as const

function bytes32(value: bigint): Uint8Array {
  return fromHex(hex32(value))!
}

function hex32(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`
}

describe("signDigest", () => {
  it("makes the signature of the published example", () => {
    assert.deepEqual(signDigest(secret, digest), signature)
  })

  it("makes the same bytes again", () => {
    assert.deepEqual(signDigest(secret, digest), signDigest(secret, digest))
  })

  it("leaves key and digest as they were", () => {
    const key = Uint8Array.from(secret)
    const message = Uint8Array.from(digest) as Digest
    signDigest(key, message)
    assert.deepEqual([key, message], [secret, Uint8Array.from(digest)])
  })

  it("signs with the smallest and the largest key", () => {
    for (const key of [bytes32(1n), bytes32(order - 1n)]) {
      assert.equal(recoverAddress(signDigest(key, digest), digest), addressOfSecret(key))
    }
  })

  it("signs digests of all zeros, all ones and at the order", () => {
    for (const value of [0n, 2n ** 256n - 1n, order - 1n, order, order + 1n]) {
      const message = bytes32(value) as Digest
      assert.equal(recoverAddress(signDigest(secret, message), message), address)
    }
  })

  for (const length of [0, 31, 33, 64]) {
    it(`refuses a digest of ${length} bytes`, () => {
      const short = new Uint8Array(length).fill(1) as Digest
      assert.throws(() => signDigest(secret, short), RangeError)
    })
    it(`refuses a key of ${length} bytes`, () => {
      assert.throws(() => signDigest(new Uint8Array(length).fill(1), digest), RangeError)
    })
  }

  for (const wrong of ["c4".repeat(32), 7, null, undefined, [...digest], {}]) {
    it(`refuses a digest that is ${Array.isArray(wrong) ? "an array" : typeof wrong}`, () => {
      assert.throws(() => signDigest(secret, wrong as Digest), TypeError)
      assert.throws(() => signDigest(wrong as Uint8Array, digest), TypeError)
    })
  }

  for (const [name, value] of [
    ["zero", 0n],
    ["the order", order],
    ["all ones", 2n ** 256n - 1n],
  ] as const) {
    it(`refuses ${name} as a key`, () => {
      assert.throws(() => signDigest(bytes32(value), digest), RangeError)
    })
  }
})

describe("recoverAddress", () => {
  it("finds the signer of the published example", () => {
    assert.equal(recoverAddress(signature, digest), address)
  })

  it("finds another address for the other v", () => {
    assert.notEqual(recoverAddress({ ...signature, v: 27 }, digest), address)
  })

  it("finds nobody when s is in the upper half, though the curve would", () => {
    const high = { ...signature, s: hex32(order - BigInt(signature.s)), v: 27 as const }
    assert.equal(recoverAddress(high, digest), undefined)
  })

  for (const [name, change] of [
    ["r is zero", { r: hex32(0n) }],
    ["s is zero", { s: hex32(0n) }],
    ["r is the order", { r: hex32(order) }],
    ["r is no point's x", { r: hex32(5n) }],
    ["r is short", { r: "0x01" }],
    ["s is no hex", { s: `0x${"g".repeat(64)}` }],
    ["v is 26", { v: 26 as 27 }],
    ["v is 29 and r too large for it", { v: 29 as 27 }],
    ["v is 31", { v: 31 as 27 }],
  ] as const) {
    it(`finds nobody when ${name}`, () => {
      assert.equal(recoverAddress({ ...signature, ...change }, digest), undefined)
    })
  }
})

describe("addressOfSecret", () => {
  it("gives the address of the published key", () => {
    assert.equal(addressOfSecret(secret), address)
  })

  it("refuses what isn't a key", () => {
    assert.throws(() => addressOfSecret(new Uint8Array(32)), RangeError)
    assert.throws(() => addressOfSecret(new Uint8Array(31).fill(1)), RangeError)
  })
})

describe("isSecretKey", () => {
  const cases = [
    { name: "zero", bytes: bytes32(0n), is: false },
    { name: "one", bytes: bytes32(1n), is: true },
    { name: "the order less one", bytes: bytes32(order - 1n), is: true },
    { name: "the order", bytes: bytes32(order), is: false },
    { name: "31 bytes", bytes: secret.subarray(1), is: false },
    { name: "33 bytes", bytes: Uint8Array.of(0, ...secret), is: false },
    { name: "hex text", bytes: toHex(secret) as unknown as Uint8Array, is: false },
  ]
  for (const { name, bytes, is } of cases) {
    it(`says ${is ? "yes" : "no"} to ${name}`, () => {
      assert.equal(isSecretKey(bytes), is)
    })
  }
})
