import { Fault } from "../../../std/fault.ts"
import type { Curve } from "../curve.ts"
import { type KeyPair, provenPair } from "../keyring.ts"
import { readEntry, readNames, type RegistryEntry } from "./key-registry.ts"
import type { Keychain, KeychainSettings } from "./keychain.ts"

/** Lends the keychain that a registry entry names. */
export type Lend = <Output>(
  where: Pick<KeychainSettings, "driver" | "service">,
  use: (keychain: Keychain) => Promise<Output>,
) => Promise<Output>

/** Keys on their way out of the keychain. */
type Prefetch = {
  /**
   * A key, whose secret is the caller's to overwrite.
   *
   * @throws {Fault} `key_not_found`, `keychain_mismatch`, `keyring_locked`, and what lending the keychain throws.
   */
  take(name: string): Promise<KeyPair>
  /** Overwrites one that wasn't taken. */
  forget(name: string): void
  /** Overwrites all that weren't taken. Nothing can be taken afterwards. */
  close(): void
}

/**
 * Takes the keys of a registry from the keychain. The first call fetches all keys of its driver, so that a start needs
 * one process for any number of keys. The others wait here until they are taken.
 */
export function prefetch(directory: string, lend: Lend, curve: Curve): Prefetch {
  const waiting = new Map<string, Uint8Array>()
  const fetchedFrom = new Set<string>()
  let isClosed = false
  const forget = (name: string): void => {
    waiting.get(name)?.fill(0)
    waiting.delete(name)
  }
  const close = (): void => {
    isClosed = true
    for (const name of [...waiting.keys()]) forget(name)
  }
  const fetch = async (name: string, entry: RegistryEntry): Promise<void> => {
    const isFirst = !fetchedFrom.has(entry.driver)
    const others = isFirst ? await entriesBeside(directory, name, entry) : []
    const found = await lend(entry, (keychain) => getAll(keychain, [name, entry], others))
    fetchedFrom.add(entry.driver)
    for (const [each, secret] of found) waiting.set(each, secret)
    if (isClosed) close()
  }
  return {
    take: async (name) => {
      const entry = await readEntry(directory, name)
      if (entry === undefined) {
        throw new Fault("key_not_found", "No key of this name is in the keychain's registry.")
      }
      if (!waiting.has(name)) await fetch(name, entry)
      if (isClosed) throw new Fault("keyring_locked", "The keys are locked; unlock them first.")
      const secret = waiting.get(name)
      waiting.delete(name)
      return checkedPair(secret, { name, entry, curve })
    },
    forget,
    close,
  }
}

/** What the registry says about a key, and what its secret must match. */
type Expected = {
  readonly name: string
  readonly entry: RegistryEntry
  readonly curve: Curve
}

/**
 * The pair of `secret`, if it is the key of the registry's entry. Takes ownership of `secret` and overwrites it if
 * it isn't.
 *
 * @throws {Fault} `keychain_mismatch` when it is another key or none.
 */
export function checkedPair(
  secret: Uint8Array | undefined,
  { name, entry, curve }: Expected,
): KeyPair {
  if (secret === undefined) {
    throw mismatch(`The keychain has no item for the key ${name}; restore it, or remove the key.`)
  }
  const pair = provenPair(secret, entry, curve)
  if (pair !== undefined) return pair
  throw mismatch(
    `The keychain holds something else than the key ${name} of ${entry.address}; restore its item, and find out who changed it.`,
  )
}

function mismatch(message: string): Fault {
  return new Fault("keychain_mismatch", message)
}

type Named = readonly [name: string, entry: RegistryEntry]

/** Skips a file that can't be read: the error comes when its own key is asked for. */
async function entriesBeside(
  directory: string,
  name: string,
  { driver, service }: RegistryEntry,
): Promise<readonly Named[]> {
  const others: Named[] = []
  for (const other of await readNames(directory)) {
    if (other === name) continue
    const entry = await readEntry(directory, other).catch(undefinedForFault)
    if (entry?.driver === driver && entry.service === service) others.push([other, entry])
  }
  return others
}

/** Fails if the wanted item can't be read. Skips other items that can't be read. */
async function getAll(
  keychain: Keychain,
  wanted: Named,
  others: readonly Named[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  try {
    for (const [name, { account }] of [wanted, ...others]) {
      const got = keychain.getPassword(account)
      const secret = await (name === wanted[0] ? got : got.catch(undefinedForMismatch))
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
