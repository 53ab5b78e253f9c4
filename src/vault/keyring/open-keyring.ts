import { Fault } from "../../std/fault.ts"
import type { Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import { addressOfSecret, isSecretKey, recoverAddress, signDigest, type Curve } from "./curve.ts"
import type { Keyring, KeyStore, Signature } from "./keyring.ts"
import { withSecret } from "./with-secret.ts"

type HeldKey = { readonly address: Address; readonly secret: Uint8Array }

const secp256k1: Curve = { signDigest, recoverAddress, addressOfSecret }

/**
 * Loads every key of `store` and holds them until `lock`, which locks the store too. The keys live in
 * this function's scope alone: nothing that inspects or serialises the keyring can reach them.
 *
 * @throws {Fault} whatever {@link KeyStore.load} throws; nothing stays in memory then.
 */
export async function openKeyring(store: KeyStore, curve: Curve = secp256k1): Promise<Keyring> {
  const held = await loadAll(store, curve)
  let isLocked = false
  const assertUnlocked = (): void => {
    if (isLocked) throw new Fault("keyring_locked", "The keyring is locked; unlock it first.")
  }
  return Object.freeze({
    addressOf: (name: string) => held.get(name)?.address,
    sign: (name: string, digest: Digest) => {
      assertUnlocked()
      const key = held.get(name)
      if (key === undefined) throw new Fault("key_not_found", "No key of this name is held.")
      return signChecked(key, digest, curve)
    },
    add: (name: string, secret: Uint8Array) =>
      withSecret(secret, async () => {
        assertUnlocked()
        if (!isSecretKey(secret)) throw new Fault("key_invalid", "This isn't a private key.")
        const key = { address: curve.addressOfSecret(secret), secret: Uint8Array.from(secret) }
        await saveOrForget(store, name, key)
        if (isLocked)
          key.secret.fill(0) // locked while saving: the key is safe on disk, and only there
        else held.set(name, key)
        return key.address
      }),
    lock: () => {
      isLocked = true
      forget(held)
      store.lock()
    },
  } satisfies Keyring)
}

/**
 * Signs, then recovers the signer from the signature: a fault of memory or arithmetic in between could
 * otherwise give away the key itself.
 */
function signChecked(key: HeldKey, digest: Digest, curve: Curve): Signature {
  const signature = curve.signDigest(key.secret, digest)
  if (curve.recoverAddress(signature, digest) === key.address) return signature
  throw new Fault(
    "signature_check_failed",
    "A signature didn't come out as its key's, so nothing was released; check this machine's memory.",
  )
}

async function loadAll(store: KeyStore, curve: Curve): Promise<Map<string, HeldKey>> {
  const held = new Map<string, HeldKey>()
  try {
    for (const name of await store.names()) {
      const secret = await store.load(name)
      held.set(name, { address: curve.addressOfSecret(secret), secret })
    }
    return held
  } catch (error) {
    forget(held)
    store.lock()
    throw error
  }
}

async function saveOrForget(store: KeyStore, name: string, key: HeldKey): Promise<void> {
  try {
    await store.save(name, key.secret)
  } catch (error) {
    key.secret.fill(0)
    throw error
  }
}

function forget(held: Map<string, HeldKey>): void {
  for (const { secret } of held.values()) secret.fill(0)
  held.clear()
}
