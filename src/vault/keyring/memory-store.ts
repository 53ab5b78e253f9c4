import { Fault } from "../../std/fault.ts"
import type { KeyStore } from "./keyring.ts"

/** Keeps keys in memory only, for the demo: they are gone with the process. */
export function memoryStore(): KeyStore {
  const secrets = new Map<string, Uint8Array>()
  let isLocked = false
  const assertUnlocked = (): void => {
    if (isLocked)
      throw new Fault("keyring_locked", "The keys in memory were overwritten; start again.")
  }
  return Object.freeze({
    backend: "memory",
    names: () => Promise.resolve([...secrets.keys()].sort()),
    load: async (name: string) => {
      assertUnlocked()
      const secret = secrets.get(name)
      if (secret === undefined)
        throw new Fault("key_not_found", "No key of this name is in memory.")
      return Promise.resolve(Uint8Array.from(secret))
    },
    save: async (name: string, secret: Uint8Array) => {
      assertUnlocked()
      if (secrets.has(name))
        throw new Fault("name_taken", "A key of this name exists; choose another.")
      secrets.set(name, Uint8Array.from(secret))
      return Promise.resolve()
    },
    remove: async (name: string) => {
      assertUnlocked()
      secrets.get(name)?.fill(0)
      secrets.delete(name)
      return Promise.resolve()
    },
    lock: () => {
      isLocked = true
      for (const secret of secrets.values()) secret.fill(0)
      secrets.clear()
    },
  } satisfies KeyStore)
}
