import { toHex } from "../../src/std/bytes.ts"
import type { PickedCurve } from "../../src/vault/keyring/curve.ts"
import type { KeyPair, KeyStore } from "../../src/vault/keyring/keyring.ts"
import { addressOfPublicKey, type Address } from "../../src/venue/address.ts"

/** The keys of a simulated installation. */
export const keyNames = ["main", "spare"] as const
export type KeyName = (typeof keyNames)[number]

/** Bytes in place of points: quick, and a signature still belongs to one key and one digest. It keeps nothing secret. */
export const fakeCurve: PickedCurve = {
  name: "noble",
  warning: undefined,
  publicKeyOf(secret) {
    const publicKey = new Uint8Array(65).fill(4, 0, 1)
    publicKey.set(secret, 1)
    return publicKey
  },
  sign: (secret, digest) => ({
    compact: compactOf(fakeCurve.publicKeyOf(secret), digest),
    recovery: 0,
  }),
  recover: ({ compact }, digest) =>
    pairs
      .values()
      .find(({ publicKey }) => Buffer.compare(compactOf(publicKey, digest), compact) === 0)
      ?.publicKey,
}

function compactOf(publicKey: Uint8Array, digest: Uint8Array): Uint8Array {
  const compact = new Uint8Array(64)
  compact.set(digest)
  compact.set(publicKey.subarray(1, 33), 32)
  return compact
}

const pairs: ReadonlyMap<KeyName, KeyPair & { readonly address: Address }> = new Map(
  keyNames.map((name, index) => {
    const secret = new Uint8Array(32).fill(index + 1)
    const publicKey = fakeCurve.publicKeyOf(secret)
    return [name, { secret, publicKey, address: addressOfPublicKey(publicKey) }]
  }),
)

/** The address of a key. */
export function addressOf(name: KeyName): Address {
  return pairs.get(name)!.address
}

/** What the only right signature of a key over a digest is, as bodies hold it. */
export function signatureOf(name: KeyName, digest: Uint8Array) {
  const compact = compactOf(pairs.get(name)!.publicKey, digest)
  return { r: toHex(compact.subarray(0, 32)), s: toHex(compact.subarray(32)), v: 27 }
}

/** The key store, which no crash reaches. */
export function fakeKeyStore(): KeyStore {
  return {
    backend: "keystore",
    names: () => Promise.resolve(keyNames),
    load(name) {
      const { secret, publicKey } = pairs.get(name as KeyName)!
      return Promise.resolve({ secret: Uint8Array.from(secret), publicKey })
    },
    save: () => Promise.reject(new Error("no key is added")),
    remove: () => Promise.resolve(),
    lock: () => undefined,
  }
}
