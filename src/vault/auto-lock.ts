import { hasEnded, type KeyEntry } from "./bindings.ts"
import { logFailure } from "./log.ts"
import type { Vault } from "./vault.ts"

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
  vault: Pick<Vault, "active" | "keyring" | "ledger" | "clock" | "unlockedAtMs">,
  by: "lifetime" | "idle",
): readonly KeyEntry[] {
  const { keyring, ledger, clock } = vault
  const { keys, config } = vault.active()
  const limitMs = by === "lifetime" ? config.walletKeys.lifetimeMs : config.walletKeys.lockOnIdleMs
  if (limitMs === undefined) return []
  const unlockedAtMs = vault.unlockedAtMs()
  return [...keys.values()].filter((key) => {
    if (key.role !== "wallet" || hasEnded(key) || keyring.isLocked(key.name)) return false
    const usedAtMs = by === "idle" ? (ledger.lastNonce(key.address) ?? 0) : 0
    return clock.nowMs() - Math.max(unlockedAtMs, usedAtMs) >= limitMs
  })
}
