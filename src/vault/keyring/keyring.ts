import { copySecret, toHex, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { type Address, addressOfPublicKey } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import { isSecretKey, type Curve, type CurveSignature } from "./curve.ts"

/** A private key and the public one that belongs to it, `04 ‖ x ‖ y`. */
export type KeyPair = { readonly secret: Uint8Array; readonly publicKey: Uint8Array }

/** ECDSA over secp256k1, low-s (EIP-2), as the venue wants it: 32-byte hex with `0x`. */
export type Signature = { readonly r: string; readonly s: string; readonly v: 27 | 28 }

/**
 * Holds private keys and signs with them. Keys go in and never come out: there is deliberately no `get` and no
 * `export`. Only `venue/signing-hash.ts` makes a {@link Digest}, so the vault signs only what it computed.
 */
export type Keyring = {
  /** The address of a key that is held, or `undefined`. */
  addressOf(name: string): Address | undefined
  /**
   * Signs and checks the signature by recovery before it is released.
   *
   * @throws {Fault} `key_not_found`, `keyring_locked`, `signature_check_failed`.
   */
  sign(name: string, digest: Digest): Signature
  /**
   * Stores a new key, then holds it. Takes ownership of its secret and overwrites it.
   *
   * @throws {Fault} `key_invalid` when the secret isn't the private key of this public one, `name_taken` when the name
   * is in use, `keyring_locked`.
   */
  add(name: string, pair: KeyPair): Promise<Address>
  /**
   * Overwrites a key in memory and destroys it in the store. A name that isn't held is left alone.
   *
   * @throws {Fault} `keyring_locked`, and what {@link KeyStore.remove} throws.
   */
  remove(name: string): Promise<void>
  /** Whether a key can't sign before the keyring is unlocked: it was locked, or wasn't in the store yet. */
  isLocked(name: string): boolean
  /**
   * Overwrites the named keys in memory, or all, and locks the store. Their addresses stay known. Safe to
   * call twice.
   */
  lock(names?: readonly string[]): void
  /**
   * Loads every key of `store` again and keeps that store. `expected` has the address of a name's key, where one is known.
   *
   * @throws {Fault} `keystore_invalid` when a name holds another key than expected, and what
   * {@link KeyStore.load} throws; what was locked stays locked then.
   */
  unlock(store: KeyStore, expected: (name: string) => Address | undefined): Promise<void>
}

/** Says whether keys are locked. It can't sign. */
export type KeyLocks = Pick<Keyring, "isLocked">

/** Where keys are stored between runs: 32 secret bytes under a name, and the key's identity in the clear. */
export type KeyStore = {
  readonly backend: "keystore" | "keychain" | "memory"
  names(): Promise<readonly string[]>
  /**
   * The caller overwrites the secret after use. The public key was derived from it again and matches the stored one.
   *
   * @throws {Fault} `key_not_found`, `keystore_invalid`, `keychain_mismatch`, `file_unsafe`, `keyring_locked`.
   */
  load(name: string): Promise<KeyPair>
  /**
   * Durable when it resolves. The secret must not change until then; the caller overwrites it.
   *
   * @throws {Fault} `name_taken`, `usage` when the name can't be one, `keystore_unavailable`, `keyring_locked`.
   */
  save(name: string, pair: KeyPair): Promise<void>
  /**
   * Destroys a key; durable when it resolves. A name that isn't there is left alone.
   *
   * @throws {Fault} `usage` when the name can't be one, `keystore_unavailable`, `keyring_locked`.
   */
  remove(name: string): Promise<void>
  /** Overwrites the secret that opens the store. Nothing can be loaded or saved afterwards. Safe to call twice. */
  lock(): void
}

/** What a key can be called, whatever keeps it. */
export const keyName = /^[a-z0-9][a-z0-9._-]{0,63}$/

/** @throws {Fault} `usage` unless `name` can be a key's. */
export function assertKeyName(name: string): void {
  if (keyName.test(name)) return
  throw new Fault(
    "usage",
    "A key's name is 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit.",
  )
}

/**
 * What is stored of a key in the clear; the reference curve computed it when the key was made. Older keys have no
 * public key here, only the address, which is its hash.
 */
type KeptIdentity = {
  readonly publicKey?: Uint8Array | undefined
  readonly address?: Address | undefined
}

/**
 * The pair of `secret`, if `curve` derives the stored identity from it. If not, `undefined`, and `secret` is
 * overwritten. Takes ownership of `secret`.
 */
export function provenPair(
  secret: Uint8Array,
  kept: KeptIdentity,
  curve: Curve,
): KeyPair | undefined {
  const publicKey = isSecretKey(secret) ? curve.publicKeyOf(secret) : undefined
  if (publicKey !== undefined && isKept(publicKey, kept)) return { secret, publicKey }
  secret.fill(0)
  return undefined
}

function isKept(derived: Uint8Array, { publicKey, address }: KeptIdentity): boolean {
  const isKey = publicKey === undefined || Buffer.compare(derived, publicKey) === 0
  return isKey && (address === undefined || addressOfPublicKey(derived) === address)
}

type HeldKey = KeyPair & { readonly address: Address }

/**
 * Loads every key of `store` and holds them until `lock`, which locks the store too. The keys are in this function's
 * scope only, so inspecting or serialising the keyring doesn't show them.
 *
 * @throws {Fault} whatever {@link KeyStore.load} throws; nothing stays in memory then.
 */
export async function openKeyring(store: KeyStore, curve: Curve): Promise<Keyring> {
  const held = await loadAll(store)
  const known = new Map([...held].map(([name, { address }]) => [name, address]))
  const state: State = { held, known, store, curve }
  return Object.freeze({
    addressOf: (name: string) => known.get(name),
    isLocked: (name: string) => !held.has(name),
    sign: (name: string, digest: Digest) => signChecked(heldKeyOf(name, state), digest, curve),
    add: (name: string, pair: KeyPair) => withSecret(pair.secret, () => add(name, pair, state)),
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
    unlock: (next: KeyStore, expected) => unlock(next, state, expected),
  } satisfies Keyring)
}

/** `known` goes on when keys are locked. `store` is the open one. */
type State = {
  readonly held: Map<string, HeldKey>
  readonly known: Map<string, Address>
  store: KeyStore | undefined
  readonly curve: Curve
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

async function add(name: string, given: KeyPair, state: State): Promise<Address> {
  const into = unlockedStore(state)
  const pair = provenPair(copySecret(given.secret), given, state.curve)
  if (pair === undefined) {
    throw new Fault("key_invalid", "This isn't the private key of the public one beside it.")
  }
  const key = heldKey(pair)
  await saveOrForget(into, name, key)
  state.known.set(name, key.address)
  // Locked while it was saved: the key is safe in the store, and only there.
  if (state.store === undefined) key.secret.fill(0)
  else state.held.set(name, key)
  return key.address
}

async function unlock(
  next: KeyStore,
  state: State,
  expected: (name: string) => Address | undefined,
): Promise<void> {
  const { held, known } = state
  const loaded = await loadAll(next)
  const changed = [...loaded].find(([name, { address }]) => isAnother(expected(name), address))
  if (changed !== undefined) {
    forget(loaded, [...loaded.keys()])
    next.lock()
    throw changedFault(changed[0])
  }
  forget(held, [...held.keys()])
  state.store?.lock()
  state.store = next
  known.clear()
  for (const [name, key] of loaded) {
    known.set(name, key.address)
    held.set(name, key)
  }
}

/**
 * Signs, then recovers the signer from the signature and compares it: a signature made with a memory or arithmetic
 * error could give the key away. Comparing public keys is enough, because the address is their hash.
 */
export function signChecked(
  { secret, publicKey }: KeyPair,
  digest: Digest,
  curve: Curve,
): Signature {
  const made = curve.sign(secret, digest)
  const signer = curve.recover(made, digest)
  if (signer !== undefined && Buffer.compare(signer, publicKey) === 0) return signatureOf(made)
  throw new Fault(
    "signature_check_failed",
    "A signature didn't come out as its key's, so nothing was released; check this machine's memory.",
  )
}

/** A signature as the venue wants it. @throws {Fault} `signature_check_failed` when it has no v. */
export function signatureOf({ compact, recovery }: CurveSignature): Signature {
  const v = vOf(recovery)
  return { r: toHex(compact.subarray(0, 32)), s: toHex(compact.subarray(32, 64)), v }
}

// A recovery id of 2 or 3 means that x of the nonce's point is at least n: one case in 2^128, which v can't say.
function vOf(recovery: number): 27 | 28 {
  if (recovery === 0) return 27
  if (recovery === 1) return 28
  throw new Fault("signature_check_failed", "This request's signature has no v; send it again.")
}

/** Node has this many threads for scrypt. */
const loadsAtOnce = 4

async function loadAll(store: KeyStore): Promise<Map<string, HeldKey>> {
  const held = new Map<string, HeldKey>()
  try {
    const names = await store.names()
    for (let first = 0; first < names.length; first += loadsAtOnce) {
      const some = names.slice(first, first + loadsAtOnce)
      const loads = some.map(async (name) => held.set(name, heldKey(await store.load(name))))
      const loaded = await Promise.allSettled(loads) // one that is still at work would come back after the end
      const failed = loaded.find((each) => each.status === "rejected")
      if (failed !== undefined) throw failed.reason
    }
    return held
  } catch (error) {
    forget(held, [...held.keys()])
    store.lock()
    throw error
  }
}

function heldKey(pair: KeyPair): HeldKey {
  return { ...pair, address: addressOfPublicKey(pair.publicKey) }
}

async function saveOrForget(store: KeyStore, name: string, key: HeldKey): Promise<void> {
  try {
    await store.save(name, key)
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
    `The key store holds another key under the name ${name} than it had; nothing was unlocked. Restore the key store.`,
  )
}
