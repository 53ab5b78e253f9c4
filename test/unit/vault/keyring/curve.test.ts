import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { toHex } from "../../../../src/std/bytes.ts"
import { isSecretKey, nobleCurve } from "../../../../src/vault/keyring/curve.ts"
import { signatureOf } from "../../../../src/vault/keyring/keyring.ts"
import { recoverAddress } from "../../../../src/vault/keyring/signature.ts"
import { addressOfPublicKey } from "../../../../src/venue/address.ts"
import type { Digest } from "../../../../src/venue/signing-hash.ts"
import { bytes32, curves, order } from "../../../support/curves.ts"

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
const r = BigInt(signature.r)
const s = BigInt(signature.s)

for (const curve of curves) {
  describe(`signing by ${curve.name}`, () => {
    const signerOf = (key: Uint8Array, message: Digest) =>
      curve.recover(curve.sign(key, message), message)

    it("makes the signature of the published example", () => {
      assert.deepEqual(signatureOf(curve.sign(secret, digest)), signature)
    })

    it("makes the same bytes again, and others for another digest", () => {
      assert.deepEqual(curve.sign(secret, digest), curve.sign(secret, digest))
      const another = bytes32(1n) as Digest
      assert.notDeepEqual(curve.sign(secret, digest), curve.sign(secret, another))
    })

    it("leaves key and digest as they were", () => {
      const key = Uint8Array.from(secret)
      const message = Uint8Array.from(digest) as Digest
      curve.sign(key, message)
      assert.deepEqual([key, message], [secret, Uint8Array.from(digest)])
    })

    it("takes bytes that lie within others, and a Buffer", () => {
      const within = (bytes: Uint8Array) => Uint8Array.of(9, ...bytes, 9).subarray(1, 33)
      const expected = curve.sign(secret, digest)
      assert.deepEqual(curve.sign(within(secret), within(digest) as Digest), expected)
      const made = curve.sign(Buffer.from(secret), Buffer.from(digest) as Uint8Array as Digest)
      assert.deepEqual(made, expected)
    })

    it("signs with the smallest and the largest key", () => {
      for (const key of [bytes32(1n), bytes32(order - 1n)]) {
        assert.deepEqual(signerOf(key, digest), nobleCurve.publicKeyOf(key))
      }
    })

    it("signs digests of all zeros, all ones and at the order", () => {
      for (const value of [0n, 2n ** 256n - 1n, order - 1n, order, order + 1n]) {
        assert.deepEqual(signerOf(secret, bytes32(value) as Digest), nobleCurve.publicKeyOf(secret))
      }
    })

    for (const length of [0, 31, 33, 64]) {
      it(`refuses a digest of ${length} bytes`, () => {
        const short = new Uint8Array(length).fill(1) as Digest
        assert.throws(() => curve.sign(secret, short), RangeError)
        assert.throws(() => curve.recover(curve.sign(secret, digest), short), RangeError)
      })
      it(`refuses a key of ${length} bytes`, () => {
        assert.throws(() => curve.sign(new Uint8Array(length).fill(1), digest), RangeError)
      })
    }

    for (const wrong of ["c4".repeat(32), 7, null, undefined, [...digest], {}]) {
      it(`refuses a digest that is ${Array.isArray(wrong) ? "an array" : typeof wrong}`, () => {
        assert.throws(() => curve.sign(secret, wrong as Digest), TypeError)
        assert.throws(() => curve.sign(wrong as Uint8Array, digest), TypeError)
      })
    }

    for (const [name, value] of [
      ["zero", 0n],
      ["the order", order],
      ["all ones", 2n ** 256n - 1n],
    ] as const) {
      it(`refuses ${name} as a key`, () => {
        assert.throws(() => curve.sign(bytes32(value), digest), RangeError)
      })
    }
  })

  describe(`a public key by ${curve.name}`, () => {
    it("is that of the published address", () => {
      assert.equal(addressOfPublicKey(curve.publicKeyOf(secret)), address)
    })

    it("is refused of what isn't a key", () => {
      assert.throws(() => curve.publicKeyOf(new Uint8Array(32)), RangeError)
      assert.throws(() => curve.publicKeyOf(new Uint8Array(31).fill(1)), RangeError)
      assert.throws(() => curve.publicKeyOf(bytes32(order)), RangeError)
    })
  })

  describe(`recovery by ${curve.name}`, () => {
    const recovered = (words: readonly [bigint, bigint], recovery: number, length = 64) => {
      const compact = Uint8Array.of(...bytes32(words[0]), ...bytes32(words[1])).subarray(0, length)
      const publicKey = curve.recover({ compact, recovery }, digest)
      return publicKey && addressOfPublicKey(publicKey)
    }

    it("finds the signer of the published example, and somebody else for the other id", () => {
      assert.equal(recovered([r, s], 1), address)
      assert.notEqual(recovered([r, s], 0), address)
      assert.notEqual(recovered([r, s], 0), undefined)
    })

    it("finds somebody up to the largest low s, and nobody above it", () => {
      assert.notEqual(recovered([r, order / 2n], 0), undefined)
      assert.equal(recovered([r, order / 2n + 1n], 0), undefined)
    })

    for (const [name, words, recovery] of [
      ["r is zero", [0n, s], 1],
      ["s is zero", [r, 0n], 1],
      ["r is the order", [order, s], 1],
      ["r is all ones", [2n ** 256n - 1n, s], 1],
      ["s is the order", [r, order], 1],
      ["s is in the upper half, though the curve would", [r, order - s], 0],
      ["r is no point's x", [5n, s], 1],
      ["the id is 2 and r too large for it", [r, s], 2],
      ["the id is 3 and r too large for it", [r, s], 3],
      ["the id is 4", [r, s], 4],
      ["the id is below zero", [r, s], -1],
      ["the id is 256 more", [r, s], 257],
      ["the id is no whole number", [r, s], 0.5],
      ["the id is no number", [r, s], NaN],
    ] as const) {
      it(`finds nobody when ${name}`, () => {
        assert.equal(recovered(words, recovery), undefined)
      })
    }

    it("finds nobody when a byte is missing", () => {
      assert.equal(recovered([r, s], 1, 63), undefined)
    })
  })
}

describe("signatureOf", () => {
  const compact = Uint8Array.of(...bytes32(r), ...bytes32(s))

  it("writes v as 27 or 28", () => {
    assert.deepEqual(signatureOf({ compact, recovery: 0 }), { ...signature, v: 27 })
    assert.deepEqual(signatureOf({ compact, recovery: 1 }), signature)
  })

  it("has no v for the points that v can't say", () => {
    for (const recovery of [2, 3]) {
      assert.throws(() => signatureOf({ compact, recovery }), { code: "signature_check_failed" })
    }
  })
})

describe("recoverAddress", () => {
  it("finds the signer of the published example", () => {
    assert.equal(recoverAddress(signature, digest), address)
  })

  it("finds another address for the other v", () => {
    assert.notEqual(recoverAddress({ ...signature, v: 27 }, digest), address)
  })

  for (const [name, change] of [
    ["s is in the upper half, though the curve would", { s: toHex(bytes32(order - s)), v: 27 }],
    ["r is short", { r: "0x01" }],
    ["s is no hex", { s: `0x${"g".repeat(64)}` }],
    ["v is 26", { v: 26 as 27 }],
    ["v is 29 and r too large for it", { v: 29 as 27 }],
    ["v is 31", { v: 31 as 27 }],
    ["v is 284", { v: 284 as 27 }],
  ] as const) {
    it(`finds nobody when ${name}`, () => {
      assert.equal(recoverAddress({ ...signature, ...change }, digest), undefined)
    })
  }
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
    { name: "an array", bytes: [...secret] as unknown as Uint8Array, is: false },
  ]
  for (const { name, bytes, is } of cases) {
    it(`says ${is ? "yes" : "no"} to ${name}`, () => {
      assert.equal(isSecretKey(bytes), is)
    })
  }
})
