import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { provenPair } from "../../../../src/vault/keyring/keyring.ts"
import { curves } from "../../../support/curves.ts"
import { addressOfSecret, pairOf } from "../../../support/key-pair.ts"

const secretOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const { publicKey } = pairOf(secretOf(7))
const address = addressOfSecret(secretOf(7))

for (const curve of curves) {
  describe(`provenPair by ${curve.name}`, () => {
    for (const [what, kept] of [
      ["its public key and its address", { publicKey, address }],
      ["its public key", { publicKey }],
      ["its address alone, as older versions kept it", { address }],
      ["nothing", {}],
    ] as const) {
      it(`takes a key of which ${what} was kept, and leaves it as it is`, () => {
        const secret = secretOf(7)
        assert.deepEqual(provenPair(secret, kept, curve), pairOf(secretOf(7)))
        assert.deepEqual(secret, secretOf(7))
      })
    }

    const flipped = publicKey.with(64, (publicKey[64] ?? 0) ^ 1)
    for (const [what, kept] of [
      ["another public key", { publicKey: pairOf(secretOf(8)).publicKey }],
      ["a public key with a flipped bit", { publicKey: flipped, address }],
      ["a part of the public key", { publicKey: publicKey.subarray(0, 64), address }],
      ["another address", { publicKey, address: addressOfSecret(secretOf(8)) }],
    ] as const) {
      it(`refuses a key of which ${what} was kept, and overwrites it`, () => {
        const secret = secretOf(7)
        assert.equal(provenPair(secret, kept, curve), undefined)
        assert.deepEqual(secret, new Uint8Array(32))
      })
    }

    it("refuses what is no private key", () => {
      for (const none of [secretOf(0), secretOf(0xff), new Uint8Array(31).fill(7)]) {
        assert.equal(provenPair(none, {}, curve), undefined)
      }
    })
  })
}
