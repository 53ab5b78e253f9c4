import { withSecret, copySecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import type { Config } from "../config/config.ts"
import { pathsOf, type Installation } from "../config/installation.ts"
import type { Curve } from "../keyring/curve.ts"
import { openKeychainStore } from "../keyring/keychain/keychain-store.ts"
import type { KeyStore, KeyPair } from "../keyring/keyring.ts"
import { openKeystore } from "../keyring/keystore-files.ts"

/** Where the secret comes from that opens a keystore. It is asked only where there is one. */
export type SecretSource = (config: Config) => Promise<Uint8Array>

export type StoreAsk = {
  readonly config: Config
  readonly installation: Installation
  readonly secret: SecretSource
  /** Derives the public key of each private one that is loaded. */
  readonly curve: Curve
}

/**
 * Opens the key store that countersign.yaml names.
 *
 * @throws {Fault} with a sentence that says what to fix.
 */
export async function openKeyStore(ask: StoreAsk): Promise<KeyStore> {
  const { config, installation, secret, curve } = ask
  const { keystoreDir, keychainDir } = pathsOf(installation)
  switch (config.keystore.backend) {
    case "memory":
      return memoryStore()
    case "keychain":
      return openKeychainStore({ directory: keychainDir, driver: config.keystore.driver, curve })
    case "keystore":
      return withSecret(await secret(config), (passphrase) =>
        openKeystore({ directory: keystoreDir, passphrase, curve }),
      )
  }
}

/** Takes no key: one that the ledger named and no store held would keep the vault from ever starting. */
export function lockedStore(): KeyStore {
  const store = memoryStore()
  store.lock()
  return store
}

/** For a vault that was opened without its keys. */
export const noSecret: SecretSource = () =>
  Promise.reject(new Fault("keyring_locked", "This command opened no keys."))

/** Keeps keys in memory only, for the demo: they are gone with the process. */
export function memoryStore(): KeyStore {
  const pairs = new Map<string, KeyPair>()
  let isLocked = false
  const assertUnlocked = (): void => {
    if (isLocked)
      throw new Fault("keyring_locked", "The keys in memory were overwritten; start again.")
  }
  return Object.freeze({
    backend: "memory",
    names: () => Promise.resolve([...pairs.keys()].sort()),
    load: async (name: string) => {
      assertUnlocked()
      const pair = pairs.get(name)
      if (pair === undefined) throw new Fault("key_not_found", "No key of this name is in memory.")
      return Promise.resolve(copyOf(pair))
    },
    save: async (name: string, pair: KeyPair) => {
      assertUnlocked()
      if (pairs.has(name))
        throw new Fault("name_taken", "A key of this name exists; choose another.")
      pairs.set(name, copyOf(pair))
      return Promise.resolve()
    },
    remove: async (name: string) => {
      assertUnlocked()
      pairs.get(name)?.secret.fill(0)
      pairs.delete(name)
      return Promise.resolve()
    },
    lock: () => {
      isLocked = true
      for (const { secret } of pairs.values()) secret.fill(0)
      pairs.clear()
    },
  } satisfies KeyStore)
}

function copyOf({ secret, publicKey }: KeyPair): KeyPair {
  return { secret: copySecret(secret), publicKey }
}
