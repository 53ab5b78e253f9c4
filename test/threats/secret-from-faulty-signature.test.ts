import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { keccak256 } from "../../src/venue/keccak.ts"
import type { Digest } from "../../src/venue/signing-hash.ts"
import * as curve from "../../src/vault/keyring/curve.ts"
import type { Signature } from "../../src/vault/keyring/keyring.ts"
import { memoryStore } from "../../src/vault/keyring/memory-store.ts"
import { openKeyring } from "../../src/vault/keyring/open-keyring.ts"

// A deterministic nonce makes a miscalculated signature beside a right one of the same digest enough to
// work out the private key. So what wasn't checked isn't released.

const digest = keccak256(Uint8Array.of(1)) as Digest
const secret = new Uint8Array(32).fill(7)

async function signWith(fault: (signature: Signature) => Signature): Promise<() => Signature> {
  const store = memoryStore()
  await store.save("key", secret)
  const faulty: curve.Curve = {
    ...curve,
    signDigest: (key, message) => fault(curve.signDigest(key, message)),
  }
  const keyring = await openKeyring(store, faulty)
  return () => keyring.sign("key", digest)
}

function flipBit(hex: string, bit: number): string {
  return `0x${(BigInt(hex) ^ (1n << BigInt(bit))).toString(16).padStart(64, "0")}`
}

const caught = { name: "Fault", code: "signature_check_failed" }

describe("a signature that came out wrong", () => {
  for (const bit of [0, 1, 127, 254, 255]) {
    it(`isn't released when bit ${bit} of r is flipped`, async () => {
      const sign = await signWith((signature) => ({ ...signature, r: flipBit(signature.r, bit) }))
      assert.throws(sign, caught)
    })
    it(`isn't released when bit ${bit} of s is flipped`, async () => {
      const sign = await signWith((signature) => ({ ...signature, s: flipBit(signature.s, bit) }))
      assert.throws(sign, caught)
    })
  }

  it("isn't released with the other v", async () => {
    const sign = await signWith((signature) => ({ ...signature, v: signature.v === 27 ? 28 : 27 }))
    assert.throws(sign, caught)
  })

  it("isn't released when it is of another digest", async () => {
    const another = keccak256(Uint8Array.of(2)) as Digest
    const sign = await signWith(() => curve.signDigest(secret, another))
    assert.throws(sign, caught)
  })

  it("isn't released when the key itself changed in memory", async () => {
    const inner = memoryStore()
    await inner.save("key", secret)
    const held: Uint8Array[] = []
    const load = async (name: string) => {
      const loaded = await inner.load(name)
      held.push(loaded)
      return loaded
    }
    const keyring = await openKeyring({ ...inner, load })
    keyring.sign("key", digest)
    for (const bytes of held) bytes[31] = bytes[31]! ^ 1
    assert.throws(() => keyring.sign("key", digest), caught)
  })

  it("is told without the signature that came out", async () => {
    const wrong = { ...curve.signDigest(secret, digest), r: `0x${"ab".repeat(32)}` }
    const sign = await signWith(() => wrong)
    assert.throws(sign, (error: Error) => !`${error.message}${error.stack ?? ""}`.includes("abab"))
  })

  it("is released when nothing went wrong", async () => {
    const sign = await signWith((signature) => signature)
    assert.deepEqual(sign(), curve.signDigest(secret, digest))
  })
})
