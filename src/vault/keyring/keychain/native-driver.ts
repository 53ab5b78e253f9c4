import { AsyncEntry } from "@napi-rs/keyring"

import { Fault } from "../../../std/fault.ts"
import { withSecret } from "../with-secret.ts"
import { hexTextOf } from "./hex-text.ts"
import type { Keychain } from "./keychain.ts"
import { readableSecret } from "./readable-secret.ts"

// Without this option and without a Secret Service, the library silently keeps secrets in the kernel's keyring, where
// they are lost at the next boot. With it, the library fails. Other platforms have one store and ignore the option.
const pinned = { linux: { store: "secret-service" } } as const

/** Opens the keychain through `@napi-rs/keyring`. Runs in the keychain's own process alone. */
export function nativeDriver(service: string): Keychain {
  const entries = new Map<string, AsyncEntry>()
  const ask = async <Output>(account: string, call: (entry: AsyncEntry) => Promise<Output>) => {
    const entry = entries.get(account) ?? openEntry(service, account)
    entries.set(account, entry)
    return call(entry).catch((error: unknown) => {
      throw isAmbiguous(error) ? ambiguous(service, account) : error
    })
  }
  return {
    getPassword: async (account) => {
      const text = await ask(account, (entry) => entry.getSecret())
      return text === null ? undefined : readableSecret(account, bytesOf(text))
    },
    setPassword: (account, secret) =>
      withSecret(hexTextOf(secret), (text) => ask(account, (entry) => entry.setSecret(text))),
    deletePassword: (account) => ask(account, (entry) => entry.deletePassword()),
  }
}

const mostOpenings = 3

/**
 * Opens a session, of which the library has one for each entry. KWallet refuses one in 256: it takes the client's public
 * key for too short where its first byte is zero. The next one brings another key.
 */
function openEntry(service: string, account: string): AsyncEntry {
  for (let opening = 1; ; opening += 1) {
    try {
      return new AsyncEntry(service, account, pinned)
    } catch (error) {
      if (opening === mostOpenings) throw error
    }
  }
}

/** The library has no code for it. */
function isAmbiguous(error: unknown): boolean {
  return error instanceof Error && /^Entry is matched by \d+ credentials/.test(error.message)
}

function ambiguous(service: string, account: string): Fault {
  return new Fault(
    "keychain_mismatch",
    `The keychain has two items or more of the service ${service} and the account (username) ${account}; delete there those that aren't the key's.`,
  )
}

function bytesOf(numbers: number[]): Uint8Array {
  const bytes = Uint8Array.from(numbers)
  numbers.fill(0)
  return bytes
}
