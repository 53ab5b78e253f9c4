import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { keccak256 } from "../../src/std/keccak.ts"
import { type Curve, type CurveSignature, nobleCurve } from "../../src/vault/keyring/curve.ts"
import { type Signature, openKeyring } from "../../src/vault/keyring/keyring.ts"
import { memoryStore } from "../../src/vault/custody/open-key-store.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"
import { bytes32, curves, order } from "../support/curves.ts"
import { signDigest } from "../support/sign-digest.ts"
import { pairOf } from "../support/key-pair.ts"

// A deterministic nonce makes a miscalculated signature beside a right one of the same digest enough to
// work out the private key. So what wasn't checked isn't released.

const digest = keccak256(Uint8Array.of(1)) as Digest
const another = keccak256(Uint8Array.of(2)) as Digest
const secret = new Uint8Array(32).fill(7)
const otherSecret = new Uint8Array(32).fill(8)

async function signWith(curve: Curve, faults: Partial<Curve> = {}): Promise<() => Signature> {
  const store = memoryStore()
  await store.save("key", pairOf(secret))
  const keyring = await openKeyring(store, { ...curve, ...faults })
  return () => keyring.sign("key", digest)
}

type Fault = readonly [string, (made: CurveSignature) => CurveSignature]

/** By their place from the left: of r 0 to 255, of s 256 to 511. */
const flips: readonly Fault[] = [0, 1, 128, 254, 255, 256, 257, 384, 510, 511].map((bit) => [
  `bit ${bit} of r and s flipped`,
  ({ compact, recovery }) => ({
    compact: compact.map((byte, index) => (index === bit >> 3 ? byte ^ (0x80 >> (bit & 7)) : byte)),
    recovery,
  }),
])

const faults: readonly Fault[] = [
  ...flips,
  ["the other v", ({ compact, recovery }) => ({ compact, recovery: recovery ^ 1 })],
  ["a v that is none", ({ compact }) => ({ compact, recovery: 4 })],
  [
    "a point's x that v can't say",
    ({ compact, recovery }) => ({ compact, recovery: recovery | 2 }),
  ],
  ["r and s of zero", ({ recovery }) => ({ compact: new Uint8Array(64), recovery })],
  ["a byte too few", ({ compact, recovery }) => ({ compact: compact.subarray(1), recovery })],
  // By the curve it is the same key's, and a second signature of one request.
  ["the s of the upper half", highTwin],
]

function highTwin({ compact, recovery }: CurveSignature): CurveSignature {
  const s = BigInt(`0x${Buffer.from(compact.subarray(32)).toString("hex")}`)
  return {
    compact: Uint8Array.of(...compact.subarray(0, 32), ...bytes32(order - s)),
    recovery: recovery ^ 1,
  }
}

const caught = { name: "Fault", code: "signature_check_failed" }

for (const curve of curves) {
  describe(`a signature that came out wrong, by ${curve.name}`, () => {
    for (const [what, fault] of faults) {
      it(`isn't released with ${what}`, async () => {
        const sign = (key: Uint8Array, message: Digest) => fault(curve.sign(key, message))
        assert.throws(await signWith(curve, { sign }), caught)
      })
    }

    it("isn't released when it is of another digest or another key", async () => {
      assert.throws(await signWith(curve, { sign: (key) => curve.sign(key, another) }), caught)
      const sign = (_: Uint8Array, message: Digest) => curve.sign(otherSecret, message)
      assert.throws(await signWith(curve, { sign }), caught)
    })

    it("isn't released when the check finds nobody, another key, or not a whole key", async () => {
      const wrong = [
        undefined,
        nobleCurve.publicKeyOf(otherSecret),
        nobleCurve.publicKeyOf(secret).subarray(0, 64),
      ]
      for (const found of wrong) {
        assert.throws(await signWith(curve, { recover: () => found }), caught)
      }
    })

    it("isn't released when v can't say which point it was, whatever the check finds", async () => {
      const recover = () => nobleCurve.publicKeyOf(secret)
      const sign = () => ({ ...curve.sign(secret, digest), recovery: 2 })
      assert.throws(await signWith(curve, { sign, recover }), caught)
    })

    it("is told without the signature that came out", async () => {
      const sign = () => ({ compact: new Uint8Array(64).fill(0xab), recovery: 0 })
      assert.throws(
        await signWith(curve, { sign }),
        (error: Error) => !`${error.message}${error.stack ?? ""}`.includes("abab"),
      )
    })

    it("is released when nothing went wrong", async () => {
      assert.deepEqual((await signWith(curve))(), signDigest(secret, digest))
    })
  })
}

describe("a key that changed in memory", () => {
  it("signs nothing", async () => {
    const inner = memoryStore()
    await inner.save("key", pairOf(secret))
    const held: Uint8Array[] = []
    const load = async (name: string) => {
      const loaded = await inner.load(name)
      held.push(loaded.secret)
      return loaded
    }
    const keyring = await openKeyring({ ...inner, load }, nobleCurve)
    keyring.sign("key", digest)
    for (const bytes of held) bytes[31] = bytes[31]! ^ 1
    assert.throws(() => keyring.sign("key", digest), caught)
  })
})
