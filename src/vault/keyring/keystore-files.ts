import { readdir, unlink } from "node:fs/promises"
import { join } from "node:path"

import { Fault } from "../../std/fault.ts"
import { copySecret, withSecret } from "../../std/bytes.ts"
import { addressOfPublicKey } from "../../venue/address.ts"
import { type Curve, isSecretKey } from "./curve.ts"
import { assertKeyName, keyName, type KeyPair, type KeyStore } from "./keyring.ts"
import { decryptPair, decryptV3, encryptV3 } from "./keystore-v3.ts"
import {
  assertPrivateDirectory,
  codeOf,
  readPrivateText,
  writeNewFile,
} from "../../std/private-file.ts"

// A directory (0700) of v3 files (0600): master.json wraps 32 random bytes under the passphrase, and
// each key's <name>.json is encrypted under those bytes. A start needs one slow scrypt for any number of keys.

/** scrypt's cost for keys. It can be low: they are encrypted under 256 random bits, which nobody can guess. */
const keyLogN = 10

const masterName = "master"
const keyFileName = /^([a-z0-9][a-z0-9._-]{0,63})\.json$/
const maxKeyFileBytes = 64 * 1024

/** The file that every other is opened with. */
export function masterFileOf(directory: string): string {
  return pathOf(directory, masterName)
}

/** Whether a file in a keystore's directory is one of its own, master.json among them. */
export function isKeyFile(file: string): boolean {
  return keyFileName.test(file)
}

/**
 * Opens a keystore: one slow scrypt. The caller overwrites `passphrase`.
 *
 * @throws {Fault} `not_initialised`, `passphrase_wrong`, `keystore_invalid`, `file_unsafe`.
 */
export async function openKeystore(input: {
  readonly directory: string
  readonly passphrase: Uint8Array
  /** Derives the public key of each private one that is loaded. */
  readonly curve: Curve
}): Promise<KeyStore> {
  const { directory, passphrase, curve } = input
  await assertPrivateDirectory(directory)
  const path = masterFileOf(directory)
  const json = await readPrivateText(path, maxKeyFileBytes)
  if (json === undefined) {
    throw new Fault("not_initialised", `${path} doesn't exist; restore it or run countersign init.`)
  }
  const master = await decryptV3(json, passphrase).catch((cause: unknown) => {
    throw withPath(path, cause)
  })
  return storeUnder({ directory, master, curve })
}

type Place = { readonly directory: string; readonly master: Uint8Array; readonly curve: Curve }

function storeUnder({ directory, master, curve }: Place): KeyStore {
  let isLocked = false
  /** Lends a copy, so that a lock at the same time can't encrypt a key file under overwritten bytes. */
  const withMaster = <Output>(use: (lent: Place) => Promise<Output>): Promise<Output> => {
    if (isLocked) throw new Fault("keyring_locked", "The keystore is locked; unlock it first.")
    return withSecret(copySecret(master), (copy) => use({ directory, master: copy, curve }))
  }
  return Object.freeze({
    backend: "keystore",
    names: () => namesIn(directory),
    load: async (name: string) => withMaster((lent) => loadKey(name, lent)),
    save: async (name: string, pair: KeyPair) => {
      await withMaster((lent) => saveKey(pathForNew(directory, name), pair, lent))
    },
    remove: async (name: string) => {
      if (isLocked) throw new Fault("keyring_locked", "The keystore is locked; unlock it first.")
      await removeFile(pathForNew(directory, name))
    },
    lock: () => {
      isLocked = true
      master.fill(0)
    },
  } satisfies KeyStore)
}

async function namesIn(directory: string): Promise<readonly string[]> {
  const files = await readdir(directory)
  return files
    .map((file) => keyFileName.exec(file)?.[1])
    .filter((name): name is string => name !== undefined && name !== masterName)
    .sort()
}

async function loadKey(name: string, { directory, master, curve }: Place): Promise<KeyPair> {
  const path = pathOf(directory, name)
  const isName = keyName.test(name) && name !== masterName
  const json = isName ? await readPrivateText(path, maxKeyFileBytes) : undefined
  if (json === undefined)
    throw new Fault("key_not_found", "No key of this name is in the keystore.")
  return decryptPair(json, master, curve).catch((cause: unknown) => {
    if (!(cause instanceof Fault) || cause.code !== "passphrase_wrong") throw withPath(path, cause)
    const message = `${path} doesn't belong to this master.json; restore both from one backup.`
    throw new Fault("keystore_invalid", message, { cause })
  })
}

async function saveKey(path: string, pair: KeyPair, { master, curve }: Place): Promise<void> {
  const { secret, publicKey } = pair
  if (!isSecretKey(secret)) throw new Fault("key_invalid", "This isn't a private key.")
  const address = addressOfPublicKey(publicKey)
  const json = await encryptV3({ ...pair, password: master, logN: keyLogN, address })
  // Read the file back: the only copy of a key must be readable.
  const readBack = await decryptPair(json, master, curve)
  readBack.secret.fill(0)
  if (!(await writeNewFile(path, json))) {
    throw new Fault("name_taken", `${path} exists; choose another name.`)
  }
}

/** A crash can bring the name back. The next start removes again what the ledger calls removed. */
async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (cause) {
    if (codeOf(cause) === "ENOENT") return
    const message = `${path} can't be removed (${codeOf(cause) ?? "unknown error"}); check the directory's owner.`
    throw new Fault("keystore_unavailable", message, { cause })
  }
}

function pathForNew(directory: string, name: string): string {
  assertKeyName(name)
  if (name === masterName) {
    throw new Fault("name_taken", "master is the keystore's own file; choose another name.")
  }
  return pathOf(directory, name)
}

function pathOf(directory: string, name: string): string {
  return join(directory, `${name}.json`)
}

/** Says which file it is that can't be used. */
function withPath(path: string, cause: unknown): unknown {
  if (!(cause instanceof Fault)) return cause
  if (cause.code === "passphrase_wrong") {
    const message = `The passphrase is wrong: it doesn't open ${path}; try again with the right one.`
    return new Fault(cause.code, message, { cause })
  }
  if (cause.code !== "keystore_invalid") return cause
  return new Fault(cause.code, `${path}: ${cause.message}`, { cause })
}
