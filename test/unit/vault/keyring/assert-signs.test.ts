import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { assertSigns } from "../../../../src/vault/keyring/assert-signs.ts"
import {
  addressOfSecret,
  recoverAddress,
  signDigest,
  type Curve,
} from "../../../../src/vault/keyring/curve.ts"
import { toHex } from "../../../../src/std/bytes.ts"

const curve: Curve = { signDigest, recoverAddress, addressOfSecret }
const secret = (): Uint8Array => new Uint8Array(32).fill(7)

describe("assertSigns", () => {
  it("lets a key pass that signs, and leaves it as it was", async () => {
    const given = secret()
    await assertSigns(given)
    assert.deepEqual(given, secret())
  })

  it("signs another digest each time", async () => {
    const digests = new Set<string>()
    const watched: Curve = {
      ...curve,
      signDigest: (key, digest) => {
        assert.deepEqual(key, secret())
        digests.add(toHex(digest))
        return signDigest(key, digest)
      },
    }
    await assertSigns(secret(), watched)
    await assertSigns(secret(), watched)
    assert.equal(digests.size, 2)
  })

  for (const [what, faulty] of [
    [
      "whose signature recovers to another address",
      { signDigest: (_, digest) => signDigest(new Uint8Array(32).fill(8), digest) },
    ],
    ["whose signature recovers to none", { recoverAddress: () => undefined }],
    [
      "whose signature has a flipped bit",
      {
        signDigest: (key, digest) => {
          const made = signDigest(key, digest)
          return { ...made, v: made.v === 27 ? 28 : 27 }
        },
      },
    ],
  ] as const satisfies readonly (readonly [string, Partial<Curve>])[]) {
    it(`refuses a key ${what}`, async () => {
      const attempt = assertSigns(secret(), { ...curve, ...faulty })
      await assert.rejects(attempt, { code: "signature_check_failed" })
    })
  }

  it("overwrites its own copy, whether the key passes or not", async () => {
    for (const recover of [recoverAddress, () => undefined]) {
      const lent: Uint8Array[] = []
      const watched: Curve = {
        ...curve,
        recoverAddress: recover,
        signDigest: (key, digest) => {
          lent.push(key)
          return signDigest(key, digest)
        },
      }
      await assertSigns(secret(), watched).catch(() => undefined)
      assert.deepEqual(lent, [new Uint8Array(32)])
    }
  })

  it("refuses what is no private key", async () => {
    await assert.rejects(assertSigns(new Uint8Array(32)), { code: "key_invalid" })
    await assert.rejects(assertSigns(new Uint8Array(31).fill(7)), { code: "key_invalid" })
  })
})
