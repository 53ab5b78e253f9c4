import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { assertSigns } from "../../../../src/vault/keyring/assert-signs.ts"
import type { Curve } from "../../../../src/vault/keyring/curve.ts"
import { toHex } from "../../../../src/std/bytes.ts"
import { nobleCurve as curve } from "../../../../src/vault/keyring/noble-curve.ts"

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
      sign: (key, digest) => {
        assert.deepEqual(key, secret())
        digests.add(toHex(digest))
        return curve.sign(key, digest)
      },
    }
    await assertSigns(secret(), watched)
    await assertSigns(secret(), watched)
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
    it(`refuses a key ${what}`, async () => {
      const attempt = assertSigns(secret(), { ...curve, ...faulty })
      await assert.rejects(attempt, { code: "signature_check_failed" })
    })
  }

  it("overwrites its own copy, whether the key passes or not", async () => {
    for (const recover of [curve.recover, () => undefined]) {
      const lent: Uint8Array[] = []
      const watched: Curve = {
        ...curve,
        recover,
        sign: (key, digest) => {
          lent.push(key)
          return curve.sign(key, digest)
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
