import { AsyncEntry } from "@napi-rs/keyring"

import { withSecret } from "../with-secret.ts"
import { hexTextOf } from "./hex-text.ts"
import type { Keychain } from "./keychain.ts"
import { readableSecret } from "./readable-secret.ts"

// Without this option and without a Secret Service, the library silently keeps secrets in the kernel's keyring, where
// they are lost at the next boot. With it, the library fails. Other platforms have one store and ignore the option.
const pinned = { linux: { store: "secret-service" } } as const

/** Opens the keychain through `@napi-rs/keyring`. Runs in the keychain's own process alone. */
export function nativeDriver(service: string): Keychain {
  const entryOf = (account: string) => new AsyncEntry(service, account, pinned)
  return {
    getPassword: async (account) => {
      const text = await entryOf(account).getSecret()
      return text === null ? undefined : readableSecret(account, bytesOf(text))
    },
    setPassword: (account, secret) =>
      withSecret(hexTextOf(secret), (text) => entryOf(account).setSecret(text)),
    deletePassword: (account) => entryOf(account).deletePassword(),
  }
}

function bytesOf(numbers: number[]): Uint8Array {
  const bytes = Uint8Array.from(numbers)
  numbers.fill(0)
  return bytes
}
