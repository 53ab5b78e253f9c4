import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"
import { Signature as EthersSignature, SigningKey, computeAddress } from "ethers"
import { sign as viemSign } from "viem/accounts"

import { toHex } from "../../src/std/bytes.ts"
import { recoverAddress } from "../../src/vault/keyring/signature.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"
import { bytes32, order } from "../support/curves.ts"
import { addressOfSecret } from "../support/key-pair.ts"
import { numRuns } from "../support/runs.ts"
import { signDigest } from "../support/sign-digest.ts"

const secrets = fc.bigInt({ min: 1n, max: order - 1n }).map(bytes32)
const digests = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => bytes as Digest)

describe("the curve, for any key and digest", () => {
  it("signs as ethers and viem do, with a low s, and recovery gives the signer", async () => {
    const property = fc.asyncProperty(secrets, digests, async (secret, digest) => {
      const signature = signDigest(secret, digest)
      const key = toHex(secret) as `0x${string}`

      const signer = computeAddress(key)
      const { r, s, yParity } = new SigningKey(key).sign(digest)
      assert.deepEqual(signature, { r, s, v: 27 + yParity })
      const fromViem = await viemSign({ hash: toHex(digest) as `0x${string}`, privateKey: key })
      assert.deepEqual([fromViem.r, fromViem.s, fromViem.yParity], [r, s, yParity])

      assert.ok(BigInt(signature.s) <= order / 2n)
      assert.equal(addressOfSecret(secret), signer)
      assert.equal(recoverAddress(signature, digest), signer)
    })
    await fc.assert(property, numRuns(100))
  })

  it("recovers nobody or somebody else once any bit of r or s is flipped", () => {
    const bits = fc.integer({ min: 0, max: 255 })
    const property = fc.property(secrets, digests, bits, (secret, digest, bit) => {
      const signature = signDigest(secret, digest)
      const flip = (hex: string) => toHex(bytes32(BigInt(hex) ^ (1n << BigInt(bit))))
      for (const changed of [
        { ...signature, r: flip(signature.r) },
        { ...signature, s: flip(signature.s) },
      ]) {
        assert.notEqual(recoverAddress(changed, digest), addressOfSecret(secret))
      }
    })
    fc.assert(property, numRuns(100))
  })

  it("recovers what ethers recovers from any r and s, or nobody", () => {
    const words = fc.bigInt({ min: 1n, max: order - 1n })
    const property = fc.property(words, words, digests, (rValue, sValue, digest) => {
      const r = toHex(bytes32(rValue))
      const s = toHex(bytes32(sValue > order / 2n ? order - sValue : sValue))
      const ours = recoverAddress({ r, s, v: 27 }, digest)
      assert.equal(ours, addressByEthers(digest, { r, s }))
    })
    fc.assert(property, numRuns(100))
  })
})

function addressByEthers(digest: Digest, words: { r: string; s: string }): string | undefined {
  const signature = EthersSignature.from({ ...words, v: 27 })
  try {
    return computeAddress(SigningKey.recoverPublicKey(digest, signature))
  } catch {
    return undefined
  }
}
