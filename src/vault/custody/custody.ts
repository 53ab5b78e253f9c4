import { copySecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { Vault } from "../core/vault.ts"
import { hasEnded, type KeyEntry } from "../ledger/records/bindings.ts"
import { collectGarbage } from "../process/collect-garbage.ts"
import { logFailure } from "../process/log.ts"
import { matchKeys } from "./match-keys.ts"
import { openKeyStore, type SecretSource } from "./open-key-store.ts"

type Held = Pick<Vault, "installation" | "keyring" | "ledger" | "active" | "curve"> & {
  readonly secret: SecretSource
}

/** Locking and unlocking of the keys in memory, each of them recorded. */
export function holdKeys(held: Held): Pick<Vault, "unlockedAtMs" | "lock" | "unlock"> {
  const { installation, keyring, ledger, active, curve } = held
  let unlockedAtMs = ledger.now()
  return {
    unlockedAtMs: () => unlockedAtMs,
    lock: async (by, names) => {
      assertLockable(active())
      // First in memory: whatever the ledger says, nothing is signed from here on.
      keyring.lock(names)
      collectGarbage()
      await ledger.act({ act: "locked", by }, ledger.now())
    },
    unlock: async (secret) => {
      const source: SecretSource =
        secret === undefined ? held.secret : () => Promise.resolve(copySecret(secret))
      const { config } = active()
      const store = await openKeyStore({ config, installation, secret: source, curve })
      await keyring.unlock(store)
      try {
        await matchKeys(active(), keyring)
      } catch (error) {
        keyring.lock()
        throw error
      }
      unlockedAtMs = ledger.now()
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

const everyMs = 1_000

/**
 * Locks wallet keys whose lifetime in memory has ended, or that signed nothing for long, as
 * countersign.yaml says. Agent keys stay: their bots would stop in the middle of a trade.
 */
export function lockWalletKeysInTime(vault: Vault): void {
  const look = (): void => {
    for (const by of ["lifetime", "idle"] as const) {
      const names = walletKeysDue(vault, by).map(({ name }) => name)
      if (names.length === 0) continue
      vault.lock(by, names).catch((error: unknown) => logFailure("lock_not_recorded", error))
    }
  }
  setInterval(look, everyMs).unref()
}

/** The wallet keys in memory whose time is up at this moment. */
export function walletKeysDue(
  vault: Pick<Vault, "active" | "keyring" | "ledger" | "now" | "unlockedAtMs">,
  by: "lifetime" | "idle",
): readonly KeyEntry[] {
  const { keyring, ledger, now } = vault
  const { keys, config } = vault.active()
  const limitMs = by === "lifetime" ? config.walletKeys.lifetimeMs : config.walletKeys.lockOnIdleMs
  if (limitMs === undefined) return []
  const unlockedAtMs = vault.unlockedAtMs()
  return [...keys.values()].filter((key) => {
    if (key.role !== "wallet" || hasEnded(key) || keyring.isLocked(key.name)) return false
    const usedAtMs = by === "idle" ? (ledger.lastNonce(key.address) ?? 0) : 0
    return now() - Math.max(unlockedAtMs, usedAtMs) >= limitMs
  })
}
