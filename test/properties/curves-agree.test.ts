import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { describe, it } from "node:test"

import fc from "fast-check"

import { toHex } from "../../src/std/bytes.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"
import { type Curve, nobleCurve } from "../../src/vault/keyring/curve.ts"
import { bytes32, nativeCurve, needsNative, order } from "../support/curves.ts"
import { numRuns } from "../support/runs.ts"

// Two libraries that share no code: what one of them gets wrong, the other tells.

/** The field's order: p. */
const field = 2n ** 256n - 2n ** 32n - 977n
/** Of the base point, whose y is even. */
const baseX = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n

/** Near these everything is different, by one. */
const landmarks = [0n, order / 2n, order, field - order, field, 2n ** 128n, 2n ** 255n]
const near = (value: bigint) => [-2n, -1n, 0n, 1n, 2n].map((by) => value + by)
const edges = [...landmarks.flatMap(near), 5n, baseX, 2n ** 256n - 1n]
  .filter((value) => value >= 0n && value < 2n ** 256n)
  .map(bytes32)

const anyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const words = fc.oneof(anyBytes, fc.constantFrom(...edges))
const someSignatures = fc.record({ r: words, s: words, recovery: fc.constantFrom(0, 1, 2, 3) })

/** What comes of a call: bytes, nothing, or the kind of its refusal. */
function outcomeOf(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error
  }
}

function assertAgree(call: (curve: Curve) => unknown): void {
  assert.deepEqual(
    outcomeOf(() => call(nativeCurve)),
    outcomeOf(() => call(nobleCurve)),
  )
}

describe("libsecp256k1 and noble", needsNative, () => {
  it("derive and sign byte for byte the same, and the check finds the signer", () => {
    // One value in 256 begins with a byte of zero: so many have some four of each, of r, s and either coordinate.
    for (let left = numRuns(1_000).numRuns; left > 0; left--) {
      const secret = Uint8Array.from(randomBytes(32)) // none of 2^127 is no key
      const digest = Uint8Array.from(randomBytes(32)) as Digest
      const made = nativeCurve.sign(secret, digest)
      const which = `${toHex(secret)} signs ${toHex(digest)}`
      assert.deepEqual(made, nobleCurve.sign(secret, digest), which)
      const publicKey = nobleCurve.publicKeyOf(secret)
      assert.deepEqual(nativeCurve.publicKeyOf(secret), publicKey, which)
      assert.deepEqual(nativeCurve.recover(made, digest), publicKey, which)
    }
  })

  it("derive the same public key, or refuse the same private one, at every edge", () => {
    for (const secret of [...edges, new Uint8Array(31).fill(1), new Uint8Array(33).fill(1)]) {
      assertAgree((curve) => curve.publicKeyOf(secret))
    }
  })

  it("sign the same, or refuse the same, for every pair of edges", () => {
    for (const secret of edges) {
      for (const digest of edges) assertAgree((curve) => curve.sign(secret, digest as Digest))
    }
  })

  it("recover the same from whatever r, s, id and digest", () => {
    const property = fc.property(someSignatures, words, ({ r, s, recovery }, digest) => {
      const compact = Uint8Array.of(...r, ...s)
      assertAgree((curve) => curve.recover({ compact, recovery }, digest as Digest))
    })
    fc.assert(property, numRuns(200))
  })

  it("recover the same from an r that stands for two points", () => {
    const digest = bytes32(1n) as Digest
    let found = 0
    for (let r = 1n; r <= 12n; r++) {
      for (const recovery of [0, 1, 2, 3]) {
        const compact = Uint8Array.of(...bytes32(r), ...bytes32(1n))
        assertAgree((curve) => curve.recover({ compact, recovery }, digest))
        if (recovery > 1 && nativeCurve.recover({ compact, recovery }, digest)) found++
      }
    }
    assert.ok(found > 0)
  })

  it("find nobody where the key would be the point at infinity", () => {
    // With the base point as the nonce's, the key is (s − digest)·G / r (SEC 1 §4.1.6).
    const value = bytes32(1_234n)
    const signature = { compact: Uint8Array.of(...bytes32(baseX), ...value), recovery: 0 }
    for (const curve of [nativeCurve, nobleCurve]) {
      assert.equal(curve.recover(signature, value as Digest), undefined)
      assert.notEqual(curve.recover(signature, bytes32(1_235n) as Digest), undefined)
    }
  })
})
