import { AsyncEntry, findCredentialsAsync } from "@napi-rs/keyring"

import { utf8 } from "../../../std/bytes.ts"
import { withSecret } from "../with-secret.ts"
import { hexTextOf } from "./hex-text.ts"
import type { Credential, Keychain } from "./keychain.ts"
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
    findCredentials: async () => {
      await assertPinnable(service)
      const found = await findCredentialsAsync(service)
      return found.map(credentialOf)
    },
  }
}

/**
 * Listing has no such option. As of 2.1.2 it asks only the Secret Service on Linux. This checks first that there is
 * one, in case a later version falls back to something else.
 */
async function assertPinnable(service: string): Promise<void> {
  await new AsyncEntry(service, "listing", pinned).getSecret()
}

function credentialOf({ account, password }: { account: string; password: string }): Credential {
  return { account, secret: readableSecret(account, utf8(password)) }
}

function bytesOf(numbers: number[]): Uint8Array {
  const bytes = Uint8Array.from(numbers)
  numbers.fill(0)
  return bytes
}
