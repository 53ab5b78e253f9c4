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
  const known = new Map([...held].map(([name, { address }]) => [name, address]))
  const state: State = { held, known, store, curve }
  return Object.freeze({
    addressOf: (name: string) => known.get(name),
    isLocked: (name: string) => known.has(name) && !held.has(name),
    sign: (name: string, digest: Digest) => signChecked(heldKeyOf(name, state), digest, curve),
    add: (name: string, secret: Uint8Array) => withSecret(secret, () => add(name, secret, state)),
    remove: async (name: string) => {
      const from = unlockedStore(state)
      forget(held, [name])
      await from.remove(name)
      known.delete(name)
    },
    lock: (names: readonly string[] = [...held.keys()]) => {
      forget(held, names)
      state.store?.lock()
      state.store = undefined
    },
    unlock: (next: KeyStore) => unlock(next, state),
  } satisfies Keyring)
}

/** `known` goes on when keys are locked. `store` is the open one. */
type State = {
  readonly held: Map<string, HeldKey>
  readonly known: Map<string, Address>
  readonly curve: Curve
  store: KeyStore | undefined
}

function unlockedStore({ store }: State): KeyStore {
  if (store === undefined) throw lockedFault()
  return store
}

function heldKeyOf(name: string, { held, known, store }: State): HeldKey {
  const key = held.get(name)
  if (key !== undefined) return key
  if (known.has(name) || store === undefined) throw lockedFault()
  throw new Fault("key_not_found", "No key of this name is held.")
}

async function add(name: string, secret: Uint8Array, state: State): Promise<Address> {
  const into = unlockedStore(state)
  if (!isSecretKey(secret)) throw new Fault("key_invalid", "This isn't a private key.")
  const address = state.curve.addressOfSecret(secret)
  const key = { address, secret: Uint8Array.from(secret) }
  await saveOrForget(into, name, key)
  state.known.set(name, address)
  // Locked while it was saved: the key is safe in the store, and only there.
  if (state.store === undefined) key.secret.fill(0)
  else state.held.set(name, key)
  return address
}

async function unlock(next: KeyStore, state: State): Promise<void> {
  const { held, known, curve } = state
  const loaded = await loadAll(next, curve)
  const changed = [...loaded].find(([name, { address }]) => isAnother(known.get(name), address))
  if (changed !== undefined) {
    forget(loaded, [...loaded.keys()])
    next.lock()
    throw changedFault(changed[0])
  }
  forget(held, [...held.keys()])
  state.store?.lock()
  state.store = next
  for (const [name, key] of loaded) {
    known.set(name, key.address)
    held.set(name, key)
  }
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
      held.set(name, heldKey(await store.load(name), curve))
    }
    return held
  } catch (error) {
    forget(held, [...held.keys()])
    store.lock()
    throw error
  }
}

function heldKey(secret: Uint8Array, curve: Curve): HeldKey {
  try {
    return { address: curve.addressOfSecret(secret), secret }
  } catch (error) {
    secret.fill(0)
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

function forget(held: Map<string, HeldKey>, names: readonly string[]): void {
  for (const name of names) {
    held.get(name)?.secret.fill(0)
    held.delete(name)
  }
}

function isAnother(known: Address | undefined, loaded: Address): boolean {
  return known !== undefined && known !== loaded
}

function lockedFault(): Fault {
  return new Fault("keyring_locked", "The keys are locked; run countersign unlock first.")
}

function changedFault(name: string): Fault {
  return new Fault(
    "keystore_invalid",
    `The key store holds another key under the name ${name} than before; nothing was unlocked. Restore the key store.`,
  )
}
