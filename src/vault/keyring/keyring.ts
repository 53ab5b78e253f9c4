import type { Address } from "../../venue/address.ts"
import type { Digest } from "../../venue/signing-hash.ts"

/** ECDSA over secp256k1, low-s (EIP-2), as the venue wants it: 32-byte hex with `0x`. */
export type Signature = { readonly r: string; readonly s: string; readonly v: 27 | 28 }

/**
 * Holds private keys and signs with them. Keys go in and never come out: there is deliberately no
 * `get` and no `export`. A {@link Digest} comes from `venue/signing-hash.ts` alone, so nothing can be
 * signed that the vault didn't compute.
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
   * Stores a new key, then holds it. Takes ownership of `secret` and overwrites it.
   *
   * @throws {Fault} `key_invalid` when `secret` isn't a private key, `name_taken` when the name is in use,
   * `keyring_locked`.
   */
  add(name: string, secret: Uint8Array): Promise<Address>
  /**
   * Overwrites a key in memory and destroys it in the store. A name that isn't held is left alone.
   *
   * @throws {Fault} `keyring_locked`, and what {@link KeyStore.remove} throws.
   */
  remove(name: string): Promise<void>
  /** Whether a key that is known can't sign before the keyring is unlocked. */
  isLocked(name: string): boolean
  /**
   * Overwrites the named keys in memory, or all, and locks the store. Their addresses stay known. Safe to
   * call twice.
   */
  lock(names?: readonly string[]): void
  /**
   * Loads every key of `store` anew and keeps it from then on.
   *
   * @throws {Fault} `keystore_invalid` when a name holds another key than before, and what
   * {@link KeyStore.load} throws; what was locked stays locked then.
   */
  unlock(store: KeyStore): Promise<void>
}

/** Where keys rest between runs. A driver keeps 32 secret bytes under a name. */
export type KeyStore = {
  readonly backend: "keystore" | "keychain" | "memory"
  names(): Promise<readonly string[]>
  /**
   * The secret is the caller's, to overwrite after use.
   *
   * @throws {Fault} `key_not_found`, `keystore_invalid`, `file_unsafe`, `keyring_locked`.
   */
  load(name: string): Promise<Uint8Array>
  /**
   * Durable when it resolves. `secret` must not change until then, and stays the caller's to overwrite.
   *
   * @throws {Fault} `name_taken`, `usage` when the name can't be one, `keystore_unavailable`, `keyring_locked`.
   */
  save(name: string, secret: Uint8Array): Promise<void>
  /**
   * Destroys a key; durable when it resolves. A name that isn't there is left alone.
   *
   * @throws {Fault} `usage` when the name can't be one, `keystore_unavailable`, `keyring_locked`.
   */
  remove(name: string): Promise<void>
  /** Overwrites what opens the store. Nothing can be loaded or saved afterwards. Safe to call twice. */
  lock(): void
}
