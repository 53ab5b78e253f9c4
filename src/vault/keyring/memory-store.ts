import { Fault } from "../../std/fault.ts"
import { copySecret } from "../../std/bytes.ts"
import type { KeyPair, KeyStore } from "./keyring.ts"

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
