import type { Keychain } from "../../src/vault/keyring/keychain/keychain.ts"
import type { withKeychain } from "../../src/vault/keyring/keychain/with-keychain.ts"

/** A keychain in memory, which counts how often it is lent. */
export type FakeKeychain = {
  readonly lend: typeof withKeychain
  /** The items by `driver service account`. */
  readonly items: Map<string, Uint8Array>
  /** Every secret that it gave out. */
  readonly given: Uint8Array[]
  readonly lent: string[]
  /** Runs before each call. */
  onCall: (verb: keyof Keychain, account: string) => Promise<void> | void
}

/** Makes an empty one. */
export function fakeKeychain(): FakeKeychain {
  const fake: FakeKeychain = {
    items: new Map(),
    given: [],
    lent: [],
    onCall: () => undefined,
    lend: async ({ driver, service }, use) => {
      fake.lent.push(driver)
      return use(keychainOf(fake, `${driver} ${service} `))
    },
  }
  return fake
}

function keychainOf(fake: FakeKeychain, prefix: string): Keychain {
  const give = (secret: Uint8Array): Uint8Array => {
    const copy = Uint8Array.from(secret)
    fake.given.push(copy)
    return copy
  }
  return {
    getPassword: async (account) => {
      await fake.onCall("getPassword", account)
      const secret = fake.items.get(prefix + account)
      return secret === undefined ? undefined : give(secret)
    },
    setPassword: async (account, secret) => {
      await fake.onCall("setPassword", account)
      fake.items.set(prefix + account, Uint8Array.from(secret))
    },
    deletePassword: async (account) => {
      await fake.onCall("deletePassword", account)
      return fake.items.delete(prefix + account)
    },
  }
}
