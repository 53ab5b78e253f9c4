import type { AsyncEntry as Entry } from "@napi-rs/keyring"

import { withSecret } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { hexTextOf, readableSecret } from "./hex-text.ts"
import type { Keychain } from "./keychain.ts"

// Without this option and without a Secret Service, the library silently keeps secrets in the kernel's keyring, where
// they are lost at the next boot. With it, the library fails. Other platforms have one store and ignore the option.
const pinned = { linux: { store: "secret-service" } } as const
/** How often a call is tried, each time in a session of its own. */
const mostSessions = 3

/** Opens the keychain through `@napi-rs/keyring`. */
export async function nativeDriver(service: string): Promise<Keychain> {
  const { AsyncEntry } = await import("@napi-rs/keyring").catch(unloadable)
  const entries = new Map<string, Entry>()
  const ask = async <Output>(account: string, call: (entry: Entry) => Promise<Output>) => {
    for (let session = 1; ; session += 1) {
      try {
        const entry = entries.get(account) ?? new AsyncEntry(service, account, pinned)
        entries.set(account, entry)
        return await call(entry)
      } catch (error) {
        if (/Entry is matched by \d+ credentials/.test(String(error))) {
          throw ambiguous(service, account)
        }
        if (session === mostSessions || !isOfSession(error)) throw error
        entries.delete(account)
      }
    }
  }
  return {
    getPassword: (account) =>
      ask(account, async (entry) => {
        const text = await entry.getSecret()
        return text === null ? undefined : readableSecret(account, bytesOf(text))
      }),
    setPassword: (account, secret) =>
      withSecret(hexTextOf(secret), (text) => ask(account, (entry) => entry.setSecret(text))),
    deletePassword: (account) => ask(account, (entry) => entry.deletePassword()),
  }
}

/**
 * Whether a new session may do better; each entry has one. KWallet spoils one in a hundred: it refuses the key exchange,
 * or derives another key than the library, so that an item comes out as noise. The library has no codes.
 */
function isOfSession(error: unknown): boolean {
  if (error instanceof Fault) return error.code === "keychain_mismatch" // noise, or another program's
  return /Crypto error|Client public key size|Can't find session/.test(String(error))
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

function unloadable(): never {
  const message =
    "The keychain's library can't be loaded; make it for this system, or reinstall countersign, run: npm rebuild @napi-rs/keyring"
  throw new Fault("keychain_unavailable", message)
}
