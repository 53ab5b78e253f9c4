import { AsyncEntry, findCredentialsAsync } from "@napi-rs/keyring"

import { utf8 } from "../../../std/bytes.ts"
import { withSecret } from "../with-secret.ts"
import { hexTextOf } from "./hex-text.ts"
import type { Credential, Keychain } from "./keychain.ts"
import { readableSecret } from "./readable-secret.ts"

// Unpinned, this library keeps secrets in the kernel's keyring where there is no Secret Service: gone at
// the next boot, and without a word. Pinned, it fails. Elsewhere the platform has one store, and the
// option is ignored.
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
 * The listing can't be pinned. As of 2.1.2 it asks the Secret Service alone on Linux; this makes sure that
 * one is there first, should a later version fall back.
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
