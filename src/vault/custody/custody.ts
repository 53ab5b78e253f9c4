import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

import { copySecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import type { ActiveSet, SetInForce } from "../active/active-set.ts"
import type { Config } from "../config/config.ts"
import type { Keyring } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"
import { logFailure } from "../process/log.ts"
import type { KeyStates } from "../status/views.ts"
import { openKeyStore, type SecretSource, type StoreAsk } from "./open-key-store.ts"

/** Locks and unlocks the keys in memory, and records it. */
export type Custody = {
  /** When the keys were loaded last, in milliseconds. */
  unlockedAtMs(): number
  /**
   * Overwrites the named keys in memory, or all; they sign nothing from now on. `by` says who or what asked for it.
   *
   * @throws {Fault} `usage` when the keys are in memory alone, and would be lost.
   */
  lock(by: string, names?: readonly string[]): Promise<void>
  /** Loads the keys anew; without `secret`, from the file, credential or keychain of countersign.yaml. @throws {Fault} */
  unlock(secret?: Uint8Array): Promise<void>
}

/** The custody of an open vault's keys, just unlocked. */
export function holdKeys(
  held: Pick<SetInForce, "active"> &
    Pick<StoreAsk, "installation" | "secret" | "curve"> & {
      readonly keyring: Keyring
      readonly ledger: Ledger
    },
): Custody {
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
      await keyring.unlock(store, (name) => active().keys.get(name)?.address)
      try {
        await matchKeys(active(), keyring)
        await claimSigners(active(), ledger)
      } catch (error) {
        keyring.lock()
        throw error
      }
      unlockedAtMs = ledger.now()
      await ledger.act({ act: "unlocked" }, unlockedAtMs)
    },
  }
}

/**
 * Has V8 give back at once what nothing refers to any more, some tens of milliseconds of this thread's time. It doesn't
 * overwrite what it gives back.
 */
function collectGarbage(): void {
  // The function is shown to contexts that are made after the flag is set.
  setFlagsFromString("--expose-gc")
  const collect = runInNewContext("gc") as (how: object) => void
  collect({ type: "major", execution: "sync", flavor: "last-resort" })
}

function assertLockable({ config }: ActiveSet): void {
  if (config.keystore.backend !== "memory") return
  throw new Fault(
    "usage",
    "This installation keeps its keys in memory alone, so locking would lose them; stop the daemon to destroy them.",
  )
}

type WalletKeys = SetInForce & Custody & KeyStates

const everyMs = 1_000

/**
 * Locks wallet keys whose lifetime in memory has ended, or that signed nothing for long, as
 * countersign.yaml says. Agent keys stay: their bots would stop in the middle of a trade.
 */
export function lockWalletKeysInTime(held: WalletKeys): void {
  const look = (): void => {
    for (const by of ["lifetime", "idle"] as const) {
      const names = walletKeysDue(held, by).map(({ name }) => name)
      if (names.length === 0) continue
      held.lock(by, names).catch((error: unknown) => logFailure("lock_not_recorded", error))
    }
  }
  setInterval(look, everyMs).unref()
}

/** The wallet keys in memory whose time is up at this moment. */
export function walletKeysDue(held: WalletKeys, by: "lifetime" | "idle"): readonly KeyEntry[] {
  const { keyring, ledger, now } = held
  const { usableKeys, config } = held.active()
  const limitMs = by === "lifetime" ? config.walletKeys.lifetimeMs : config.walletKeys.lockOnIdleMs
  if (limitMs === undefined) return []
  const unlockedAtMs = held.unlockedAtMs()
  return [...usableKeys.values()].filter((key) => {
    if (key.role !== "wallet" || keyring.isLocked(key.name)) return false
    const usedAtMs = by === "idle" ? (ledger.lastNonce(key.address) ?? 0) : 0
    return now() - Math.max(unlockedAtMs, usedAtMs) >= limitMs
  })
}

/**
 * Every key of the ledger must be in the key store, and be the very key it was; among several hosts one that another made may
 * be missing here, and counts as locked. One that was removed must be gone from it: a crash may have cut its removal off, so it
 * is finished here.
 *
 * @throws {Fault} `keystore_invalid`, `keystore_unavailable`.
 */
export async function matchKeys({ keys, config }: ActiveSet, keyring: Keyring): Promise<void> {
  const mayLack = hasOtherHosts(config)
  for (const { name, address, approval } of keys.values()) {
    const held = keyring.addressOf(name) ?? (mayLack ? address : undefined)
    if (approval === "removed") {
      if (held !== undefined) await keyring.remove(name)
    } else if (held === undefined) throw keyMissing(name, config)
    else if (held !== address) throw anotherKey(name, { expected: address, held })
  }
}

function hasOtherHosts({ postgres }: Config): boolean {
  return postgres?.hosts !== undefined
}

function anotherKey(
  name: string,
  { expected, held }: { readonly expected: string; readonly held: string },
): Fault {
  return new Fault(
    "keystore_invalid",
    `The key store holds another key under the name ${name}: expected ${expected}, found ${held}.`,
  )
}

function keyMissing(name: string, { keystore }: Config): Fault {
  switch (keystore.backend) {
    case "memory":
      return new Fault(
        "keystore_unavailable",
        `The key ${name} was kept in memory and is gone with the daemon that held it; make a new installation with countersign init.`,
      )
    case "keychain":
      return new Fault(
        "keystore_invalid",
        `The ledger knows the key ${name}, but the keychain's register doesn't; restore keychain/${name}.json from a back-up.`,
      )
    case "keystore":
      return new Fault(
        "keystore_invalid",
        `The ledger knows the key ${name}, but the key store doesn't hold it; restore keystore/${name}.json from a back-up.`,
      )
  }
}

/** Takes every signer whose key is in use here for this ledger alone. @throws {Fault} as `claim` does. */
export async function claimSigners({ usableKeys }: ActiveSet, ledger: Ledger): Promise<void> {
  for (const key of usableKeys.values()) await ledger.claim(key.address)
}
