import { Fault } from "../../std/fault.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { Config } from "../config/config.ts"
import type { Keyring } from "../keyring/keyring.ts"
import type { Ledger } from "../ledger/ledger.ts"

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
