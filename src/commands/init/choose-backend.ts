import { randomBytes } from "node:crypto"

import { Fault } from "../../std/fault.ts"
import type { Keychain, KeychainDriver } from "../../vault/keyring/keychain/keychain.ts"
import { withKeychain } from "../../vault/keyring/keychain/with-keychain.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"

/** Where a new installation's keys should rest, and the one sentence that says why. */
export type BackendChoice = { readonly backend: "keychain" | "keystore"; readonly why: string }

/** Chooses the keychain where it stores, gives back and deletes a throw-away item; else a keystore. */
export async function chooseBackend(
  driver: KeychainDriver = "native",
  lend = withKeychain,
): Promise<BackendChoice> {
  const service = `countersign-trial-${randomBytes(16).toString("hex")}`
  try {
    await withSecret(randomBytes(32), (secret) =>
      lend({ driver, service }, (keychain) => tryItem(keychain, secret)),
    )
    return {
      backend: "keychain",
      why: "The operating system's keychain is unlocked, and stored, gave back and deleted a trial item.",
    }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { backend: "keystore", why: error.message }
  }
}

async function tryItem(keychain: Keychain, secret: Uint8Array): Promise<void> {
  await keychain.setPassword("trial", secret)
  const found = await keychain.getPassword("trial")
  const isSame = found !== undefined && Buffer.compare(found, secret) === 0
  const wasThere = await keychain.deletePassword("trial")
  if (isSame && wasThere) return
  throw new Fault("keychain_mismatch", "The keychain doesn't give back what was stored in it.")
}
