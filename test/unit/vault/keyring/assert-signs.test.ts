import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { toHex } from "../../../../src/std/bytes.ts"
import { assertSigns } from "../../../../src/vault/keyring/assert-signs.ts"
import { type Curve, nobleCurve as curve } from "../../../../src/vault/keyring/curve.ts"
import { pairOf } from "../../../support/key-pair.ts"

const secret = (): Uint8Array => new Uint8Array(32).fill(7)

describe("assertSigns", () => {
  it("lets a key pass that signs, and leaves it as it was", () => {
    const given = secret()
    assertSigns(pairOf(given), curve)
    assert.deepEqual(given, secret())
  })

  it("signs another digest each time", () => {
    const digests = new Set<string>()
    const watched: Curve = {
      ...curve,
      sign: (key, digest) => {
        assert.deepEqual(key, secret())
        digests.add(toHex(digest))
        return curve.sign(key, digest)
      },
    }
    assertSigns(pairOf(secret()), watched)
    assertSigns(pairOf(secret()), watched)
    assert.equal(digests.size, 2)
  })

  for (const [what, faulty] of [
    [
      "whose signature recovers to another address",
      { sign: (_, digest) => curve.sign(new Uint8Array(32).fill(8), digest) },
    ],
    ["whose signature recovers to none", { recover: () => undefined }],
    [
      "whose signature has a flipped bit",
      {
        sign: (key, digest) => {
          const made = curve.sign(key, digest)
          return { ...made, recovery: made.recovery ^ 1 }
        },
      },
    ],
  ] as const satisfies readonly (readonly [string, Partial<Curve>])[]) {
    it(`refuses a key ${what}`, () => {
      const attempt = () => assertSigns(pairOf(secret()), { ...curve, ...faulty })
      assert.throws(attempt, { code: "signature_check_failed" })
    })
  }

  it("refuses a key beside another's public one", () => {
    const { publicKey } = pairOf(new Uint8Array(32).fill(8))
    const attempt = () => assertSigns({ secret: secret(), publicKey }, curve)
    assert.throws(attempt, { code: "signature_check_failed" })
  })

  it("refuses what is no private key", () => {
    for (const none of [new Uint8Array(32), new Uint8Array(31).fill(7)]) {
      assert.throws(() => assertSigns(pairOf(none), curve), RangeError)
    }
  })
})
