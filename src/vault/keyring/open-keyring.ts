import { copySecret, toHex } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"
import type { Curve, CurveSignature } from "./curve.ts"
import type { KeyPair, Keyring, KeyStore, Signature } from "./keyring.ts"
import { provenPair } from "./proven-pair.ts"
import { withSecret } from "./with-secret.ts"

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
