import { Fault } from "../../std/fault.ts"
import type { Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"

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
