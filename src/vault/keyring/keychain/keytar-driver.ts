import { createRequire } from "node:module"

import { utf8, withSecret } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { hexTextOf, readableSecret } from "./hex-text.ts"
import type { Keychain } from "./keychain.ts"

// Limits we accept, as of keytar 7.9.0: on a locked collection `getPassword` says that there is no such
// item. So the keychain's state is asked before, and again where an item is missing. And keytar takes and
// gives strings, which can't be overwritten: they go with the process.

/** What we use of keytar, which has no types of its own here: it needn't be installed. */
type Keytar = {
  getPassword(service: string, account: string): Promise<string | null>
  setPassword(service: string, account: string, password: string): Promise<void>
  deletePassword(service: string, account: string): Promise<boolean>
}

/**
 * Opens the keychain through keytar. Runs in the keychain's own process alone.
 *
 * @throws {Fault} `keychain_unavailable` when keytar isn't installed or can't be loaded.
 */
export function keytarDriver(service: string, keytarDirectory?: string): Keychain {
  const keytar = loadKeytar(keytarDirectory)
  return {
    getPassword: async (account) => {
      const text = await keytar.getPassword(service, account)
      return text === null ? undefined : readableSecret(account, utf8(text))
    },
    setPassword: (account, secret) =>
      withSecret(hexTextOf(secret), (text) =>
        keytar.setPassword(service, account, new TextDecoder().decode(text)),
      ),
    deletePassword: (account) => keytar.deletePassword(service, account),
  }
}

function loadKeytar(directory: string | undefined): Keytar {
  try {
    return createRequire(import.meta.url)(directory ?? "keytar") as Keytar // its documented interface
  } catch (cause) {
    throw new Fault(
      "keychain_unavailable",
      "keytar can't be loaded; install keytar 7.9.0 beside countersign, or set driver: native.",
      { cause },
    )
  }
}
