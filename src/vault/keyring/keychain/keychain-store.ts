import { Fault } from "../../../std/fault.ts"
import { oneAtATime } from "../../../std/one-at-a-time.ts"
import { addressOfPublicKey } from "../../../venue/address.ts"
import { type Curve, isSecretKey } from "../curve.ts"
import { assertKeyName, type KeyPair, type KeyStore } from "../keyring.ts"
import { withSecret } from "../../../std/bytes.ts"
import { checkedPair, prefetch, type Lend } from "./prefetch.ts"
import {
  beginRemoval,
  endRemoval,
  readEntry,
  readEntryToRemove,
  readNames,
  readService,
  type RegistryEntry,
  writeEntry,
} from "./key-registry.ts"
import type { Keychain, KeychainDriver } from "./keychain.ts"
import { withKeychain } from "./with-keychain.ts"

/** How to open a store. `driver` is for new keys; the registry names the driver of each stored key. */
type KeychainStoreSettings = {
  readonly directory: string
  readonly driver: KeychainDriver
  /** Derives the public key of each private one that is loaded. */
  readonly curve: Curve
  /** keytar's own directory, an absolute path, where it isn't installed beside this program. */
  readonly keytarDirectory?: string | undefined
  /** Stands in for the keychain's process in tests. */
  readonly lend?: typeof withKeychain
}

/**
 * Opens the keys in the operating system's keychain. Touches the keychain when the first key is loaded, and then
 * fetches all keys at once.
 *
 * @throws {Fault} `not_initialised`, `keystore_invalid`, `file_unsafe`.
 */
export async function openKeychainStore(settings: KeychainStoreSettings): Promise<KeyStore> {
  const { directory, keytarDirectory, curve, lend: lendKeychain = withKeychain } = settings
  const service = await readService(directory)
  const lend: Lend = ({ driver, service }, use) =>
    lendKeychain({ driver, service, keytarDirectory }, use)
  const place = { directory, lend, curve }
  const cache = prefetch(directory, lend, curve)
  const queue = oneAtATime()
  let isLocked = false
  const whileUnlocked = <Output>(work: () => Promise<Output>): Promise<Output> =>
    queue(async () => {
      if (isLocked) throw new Fault("keyring_locked", "The keys are locked; unlock them first.")
      return work()
    })
  return Object.freeze({
    backend: "keychain",
    names: () => readNames(directory),
    load: (name: string) => whileUnlocked(() => cache.take(name)),
    save: (name: string, pair: KeyPair) =>
      whileUnlocked(() => saveKey(place, { name, pair, service, driver: settings.driver })),
    remove: (name: string) =>
      whileUnlocked(() => {
        cache.forget(name)
        return removeKey(place, name)
      }),
    lock: () => {
      isLocked = true
      cache.close()
    },
  } satisfies KeyStore)
}

type Place = { readonly directory: string; readonly lend: Lend; readonly curve: Curve }

/** A key to be saved, and where. Its secret stays the caller's. */
type NewKey = {
  readonly name: string
  readonly pair: KeyPair
  readonly service: string
  readonly driver: KeychainDriver
}

async function saveKey({ directory, lend }: Place, key: NewKey): Promise<void> {
  const { name, pair, service, driver } = key
  const { secret, publicKey } = pair
  assertKeyName(name)
  if (!isSecretKey(secret)) throw new Fault("key_invalid", "This isn't a private key.")
  const address = addressOfPublicKey(publicKey)
  const entry = { driver, service, account: name, address, publicKey }
  if ((await readEntry(directory, name)) !== undefined) throw nameTaken(name)
  let isLeft = false as boolean // an item that no file names
  try {
    await lend(entry, async (keychain) => {
      isLeft = await isWanting(keychain, entry, secret)
      try {
        if (isLeft) await keychain.setPassword(name, secret)
        await assertKept(keychain, name, secret)
        if (!(await writeEntry(directory, name, entry))) throw nameTaken(name)
        isLeft = false
      } catch (error) {
        if (isLeft) isLeft = !(await takeBack(keychain, directory, name))
        throw error
      }
    })
  } catch (error) {
    if (!isLeft || !(error instanceof Fault)) throw error
    throw new Fault(
      error.code,
      `${error.message} No key was made. ${itemWords(entry)} may be left in the keychain: delete it there.`,
      { cause: error },
    )
  }
}

/**
 * Deletes an item that no registry file names, because it would keep the name taken; `false` where it may still be there.
 * If a file may name it, the item stays: a file without its item would stop every start.
 */
async function takeBack(keychain: Keychain, directory: string, name: string): Promise<boolean> {
  const isNamed = await readEntry(directory, name).then(
    (entry) => entry !== undefined,
    () => true,
  )
  if (isNamed) return true
  return keychain.deletePassword(name).then(
    () => true,
    () => false, // the first error says more
  )
}

/** Whether the item has to be made. An equal one is left from an interrupted save; any other is never overwritten. */
async function isWanting(
  keychain: Keychain,
  entry: Pick<RegistryEntry, "service" | "account">,
  secret: Uint8Array,
): Promise<boolean> {
  const existing = await keychain.getPassword(entry.account)
  if (existing === undefined) return true
  if (isSameAndWiped(existing, secret)) return false
  throw new Fault(
    "name_taken",
    `The keychain has an item that no key here is registered by, as an interrupted save leaves it; choose another name, or delete it there. ${itemWords(entry)} is meant.`,
  )
}

function itemWords({ service, account }: Pick<RegistryEntry, "service" | "account">): string {
  return `The item of the service ${service} and the account (username) ${account}`
}

/** Reads the item back: the only copy of a key must be readable. */
async function assertKept(keychain: Keychain, name: string, secret: Uint8Array): Promise<void> {
  const readBack = await keychain.getPassword(name)
  if (readBack !== undefined && isSameAndWiped(readBack, secret)) return
  throw new Fault(
    "keychain_mismatch",
    "The keychain doesn't give back what it was given, so the key wasn't kept; look at the keychain's log.",
  )
}

function isSameAndWiped(found: Uint8Array, secret: Uint8Array): boolean {
  return withSecret(found, () => Buffer.compare(found, secret) === 0)
}

/** Deletes the item only if it is the key that was stored: we never destroy another. */
async function removeKey({ directory, lend, curve }: Place, name: string): Promise<void> {
  assertKeyName(name)
  const entry = await readEntryToRemove(directory, name)
  if (entry === undefined) return
  const { account } = entry
  await lend(entry, async (keychain) => {
    const found = await keychain.getPassword(account)
    if (found !== undefined) checkedPair(found, { name, entry, curve }).secret.fill(0)
    await beginRemoval(directory, name)
    if (found !== undefined) await keychain.deletePassword(account)
  })
  await endRemoval(directory, name)
}

function nameTaken(name: string): Fault {
  return new Fault("name_taken", `A key ${name} is in the keychain; choose another name.`)
}
