import { Fault } from "../std/fault.ts"
import type { ActiveSet } from "./active-set.ts"
import { hasEnded } from "./bindings.ts"
import { systemClock } from "./clock.ts"
import { matchKeys } from "./match-keys.ts"
import { openKeyStore, type SecretSource } from "./open-key-store.ts"
import type { Vault } from "./vault.ts"

type Held = Pick<Vault, "installation" | "keyring" | "ledger" | "active"> & {
  readonly secret: SecretSource
}

/** Locking and unlocking of the keys in memory, each of them recorded. */
export function holdKeys(held: Held): Pick<Vault, "state" | "unlockedAtMs" | "lock" | "unlock"> {
  const { installation, keyring, ledger, active } = held
  let unlockedAtMs = systemClock.nowMs()
  return {
    state: () => {
      const usable = [...active().keys.values()].filter((key) => !hasEnded(key))
      const isLocked = usable.length > 0 && usable.every(({ name }) => keyring.isLocked(name))
      return isLocked ? "locked" : "ready"
    },
    unlockedAtMs: () => unlockedAtMs,
    lock: async (by, names) => {
      assertLockable(active())
      // First in memory: whatever the ledger says, nothing is signed from here on.
      keyring.lock(names)
      await ledger.act({ act: "locked", by }, systemClock.nowMs())
    },
    unlock: async (secret) => {
      const source: SecretSource =
        secret === undefined ? held.secret : () => Promise.resolve(Uint8Array.from(secret))
      const store = await openKeyStore(active().config, installation, source)
      await keyring.unlock(store)
      try {
        await matchKeys(active(), keyring)
      } catch (error) {
        keyring.lock()
        throw error
      }
      unlockedAtMs = systemClock.nowMs()
      await ledger.act({ act: "unlocked" }, unlockedAtMs)
    },
  }
}

function assertLockable({ config }: ActiveSet): void {
  if (config.keystore.backend !== "memory") return
  throw new Fault(
    "usage",
    "This installation keeps its keys in memory alone, so locking would lose them; stop the daemon to destroy them.",
  )
}
