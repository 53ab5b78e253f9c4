import { withSecret } from "../../../std/bytes.ts"
import { Fault } from "../../../std/fault.ts"
import { oneAtATime } from "../../../std/one-at-a-time.ts"
import { addressOfPublicKey } from "../../../venue/address.ts"
import { type Curve, isSecretKey } from "../curve.ts"
import { assertKeyName, type KeyPair, type KeyStore, provenPair } from "../keyring.ts"
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
import type { Keychain, KeychainSettings } from "./keychain.ts"
import { withKeychain } from "./with-keychain.ts"

/** Where keys are. `driver` is for new ones; the registry names the driver of each stored key. */
type Place = Pick<KeychainSettings, "driver"> & {
  readonly directory: string
  /** Derives the public key of each private one that is loaded. */
  readonly curve: Curve
}

/**
 * Opens the keys in the operating system's keychain. Touches the keychain when the first key is loaded, and then
 * fetches all keys at once.
 *
 * @throws {Fault} `not_initialised`, `keystore_invalid`, `file_unsafe`.
 */
export async function openKeychainStore(
  place: Place &
    Pick<KeychainSettings, "keytarDirectory"> & {
      /** Stands in for the keychain's process in tests. */
      readonly lend?: typeof withKeychain
    },
): Promise<KeyStore> {
  const { directory, keytarDirectory, lend: lendKeychain = withKeychain } = place
  const service = await readService(directory)
  const lend: LentPlace["lend"] = ({ driver, service }, use) =>
    lendKeychain({ driver, service, keytarDirectory }, use)
  const lent = { ...place, service, lend }
  const cache = prefetch(lent)
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
    save: (name: string, pair: KeyPair) => whileUnlocked(() => saveKey(name, pair, lent)),
    remove: (name: string) =>
      whileUnlocked(() => {
        cache.forget(name)
        return removeKey(name, lent)
      }),
    lock: () => {
      isLocked = true
      cache.close()
    },
  } satisfies KeyStore)
}

type LentPlace = Place & {
  readonly service: string
  /** Lends the keychain that a registry entry names. */
  readonly lend: <Output>(
    where: Pick<KeychainSettings, "driver" | "service">,
    use: (keychain: Keychain) => Promise<Output>,
  ) => Promise<Output>
}

/** The secret stays the caller's. */
async function saveKey(
  name: string,
  { secret, publicKey }: KeyPair,
  { directory, lend, service, driver }: LentPlace,
): Promise<void> {
  assertKeyName(name)
  if (!isSecretKey(secret)) throw new Fault("key_invalid", "This isn't a private key.")
  const address = addressOfPublicKey(publicKey)
  const entry = { name, driver, service, account: name, address, publicKey }
  if ((await readEntry(directory, name)) !== undefined) throw nameTaken(name)
  let isLeft = false as boolean // an item that no file names
  try {
    await lend(entry, async (keychain) => {
      isLeft = await isWanting(keychain, entry, secret)
      try {
        if (isLeft) await keychain.setPassword(name, secret)
        await assertKept(keychain, name, secret)
        if (!(await writeEntry(directory, entry))) throw nameTaken(name)
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
async function removeKey(name: string, { directory, lend, curve }: LentPlace): Promise<void> {
  assertKeyName(name)
  const entry = await readEntryToRemove(directory, name)
  if (entry === undefined) return
  const { account } = entry
  await lend(entry, async (keychain) => {
    const found = await keychain.getPassword(account)
    if (found !== undefined) checkedPair(found, entry, curve).secret.fill(0)
    await beginRemoval(directory, name)
    if (found !== undefined) await keychain.deletePassword(account)
  })
  await endRemoval(directory, name)
}

function nameTaken(name: string): Fault {
  return new Fault("name_taken", `A key ${name} is in the keychain; choose another name.`)
}

/**
 * Takes the keys of a registry from the keychain. The first call fetches all keys of its driver, so that a start needs
 * one process for any number of keys. The others wait here until they are taken.
 */
function prefetch({ directory, lend, curve }: LentPlace) {
  const waiting = new Map<string, Uint8Array>()
  const fetchedFrom = new Set<string>()
  let isClosed = false
  /** Overwrites one that wasn't taken. */
  const forget = (name: string): void => {
    waiting.get(name)?.fill(0)
    waiting.delete(name)
  }
  /** Overwrites all that weren't taken. Nothing can be taken afterwards. */
  const close = (): void => {
    isClosed = true
    for (const name of [...waiting.keys()]) forget(name)
  }
  const fetch = async (entry: RegistryEntry): Promise<void> => {
    const isFirst = !fetchedFrom.has(entry.driver)
    const others = isFirst ? await entriesBeside(entry, directory) : []
    const found = await lend(entry, (keychain) => getAll(keychain, entry, others))
    fetchedFrom.add(entry.driver)
    for (const [each, secret] of found) waiting.set(each, secret)
    if (isClosed) close()
  }
  return {
    /**
     * A key, whose secret is the caller's to overwrite.
     *
     * @throws {Fault} `key_not_found`, `keychain_mismatch`, `keyring_locked`, and what lending the keychain throws.
     */
    async take(name: string): Promise<KeyPair> {
      const entry = await readEntry(directory, name)
      if (entry === undefined) {
        throw new Fault("key_not_found", "No key of this name is in the keychain's registry.")
      }
      if (!waiting.has(name)) await fetch(entry)
      if (isClosed) throw new Fault("keyring_locked", "The keys are locked; unlock them first.")
      const secret = waiting.get(name)
      waiting.delete(name)
      return checkedPair(secret, entry, curve)
    },
    forget,
    close,
  }
}

/**
 * The pair of `secret`, if it is the key of the registry's entry. Takes ownership of `secret` and overwrites it if
 * it isn't.
 *
 * @throws {Fault} `keychain_mismatch` when it is another key or none.
 */
function checkedPair(secret: Uint8Array | undefined, entry: RegistryEntry, curve: Curve): KeyPair {
  const { name, address } = entry
  if (secret === undefined) {
    throw mismatch(`The keychain has no item for the key ${name}; restore it, or remove the key.`)
  }
  const pair = provenPair(secret, entry, curve)
  if (pair !== undefined) return pair
  throw mismatch(
    `The keychain holds something else than the key ${name} of ${address}; restore its item, and find out who changed it.`,
  )
}

function mismatch(message: string): Fault {
  return new Fault("keychain_mismatch", message)
}

/** Skips a file that can't be read: the error comes when its own key is asked for. */
async function entriesBeside(
  { name, driver, service }: RegistryEntry,
  directory: string,
): Promise<readonly RegistryEntry[]> {
  const others: RegistryEntry[] = []
  for (const other of await readNames(directory)) {
    if (other === name) continue
    const entry = await readEntry(directory, other).catch(undefinedForFault)
    if (entry?.driver === driver && entry.service === service) others.push(entry)
  }
  return others
}

/** Fails if the wanted item can't be read. Skips other items that can't be read. */
async function getAll(
  keychain: Keychain,
  wanted: RegistryEntry,
  others: readonly RegistryEntry[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  try {
    for (const { name, account } of [wanted, ...others]) {
      const got = keychain.getPassword(account)
      const secret = await (name === wanted.name ? got : got.catch(undefinedForMismatch))
      if (secret !== undefined) found.set(name, secret)
    }
    return found
  } catch (error) {
    for (const secret of found.values()) secret.fill(0)
    throw error
  }
}

function undefinedForFault(error: unknown): undefined {
  if (!(error instanceof Fault)) throw error
}

function undefinedForMismatch(error: unknown): undefined {
  if (!(error instanceof Fault) || error.code !== "keychain_mismatch") throw error
}
