import { randomBytes } from "node:crypto"

import { Fault } from "../../std/fault.ts"
import type { Keychain, KeychainDriver } from "../../vault/keyring/keychain/keychain.ts"
import { preflight } from "../../vault/keyring/keychain/preflight.ts"
import { withKeychain } from "../../vault/keyring/keychain/with-keychain.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"

/** Where a new installation's keys should rest, and the one sentence that says why. */
type BackendChoice = { readonly backend: "keychain" | "keystore"; readonly why: string }

const works = "is unlocked, and stored, gave back and deleted a trial item."

/** Chooses the keychain where it stores, gives back and deletes a throw-away item; else a keystore. */
export async function chooseBackend(
  driver: KeychainDriver = "native",
  lend = withKeychain,
): Promise<BackendChoice> {
  try {
    await tryKeychain(driver, lend)
    return { backend: "keychain", why: `The operating system's keychain ${works}` }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { backend: "keystore", why: error.message }
  }
}

/**
 * The keychain because somebody asked for it. One that is there must work. Where none can be reached it may be the unit's
 * own, which runs only with the daemon: that is told.
 *
 * @throws {Fault} `keychain_locked`, `keychain_unavailable`, `keychain_mismatch`.
 */
export async function wantedKeychain(
  driver: KeychainDriver,
  { check = preflight, lend = withKeychain } = {},
): Promise<BackendChoice> {
  const state = await check()
  if (state === "no_bus" || state === "no_service") {
    const why = `--backend says so. None can be reached from here (${missingWords[state]}), so it wasn't tried; the daemon needs one, or ends at its start.`
    return { backend: "keychain", why }
  }
  await tryKeychain(driver, lend)
  return { backend: "keychain", why: `--backend says so. It ${works}` }
}

const missingWords = {
  no_bus: "there is no D-Bus session bus",
  no_service: "no Secret Service runs on the session bus",
} as const

/** One name for every trial: what an interrupted one leaves, the next one overwrites and deletes. */
const trial = { service: "countersign-trial", account: "trial" } as const

async function tryKeychain(driver: KeychainDriver, lend: typeof withKeychain): Promise<void> {
  const { service } = trial
  await withSecret(randomBytes(32), (secret) =>
    lend({ driver, service }, (keychain) => tryItem(keychain, secret)),
  )
}

async function tryItem(keychain: Keychain, secret: Uint8Array): Promise<void> {
  await keychain.setPassword(trial.account, secret)
  const found = await keychain.getPassword(trial.account)
  const isSame = found !== undefined && Buffer.compare(found, secret) === 0
  const wasThere = await keychain.deletePassword(trial.account)
  if (isSame && wasThere) return
  throw new Fault("keychain_mismatch", "The keychain doesn't give back what was stored in it.")
}
