import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { chmod, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join, dirname } from "node:path"

import { Fault } from "../../std/fault.ts"
import {
  isThere,
  assertPrivateDirectory,
  codeOf,
  writeNewFile,
  syncDirectory,
} from "../../std/private-file.ts"
import { packageRoot } from "../../std/program-files.ts"
import { shellWord } from "../../std/visible.ts"
import {
  assertSocketPathsFit,
  pathsOf,
  type Installation,
} from "../../vault/config/installation.ts"
import { readNames, serviceFileOf } from "../../vault/keyring/keychain/key-registry.ts"
import type { Keychain, KeychainDriver } from "../../vault/keyring/keychain/keychain.ts"
import { preflight } from "../../vault/keyring/keychain/preflight.ts"
import { withKeychain } from "../../vault/keyring/keychain/with-keychain.ts"
import { isKeyFile, masterFileOf } from "../../vault/keyring/keystore-files.ts"
import { encryptV3 } from "../../vault/keyring/keystore-v3.ts"
import { withSecret } from "../../std/bytes.ts"

export type NewInstallation = {
  readonly installation: Installation
  readonly configText: string
  readonly venueText: string
  /** Of venue-paper.yaml; left out, there is none. */
  readonly paperText?: string
  /** Of policies/example.yaml; left out, the package's own. */
  readonly policyText?: string
  readonly keyStore: NewKeyStore
  /** Where the passphrase came from, absolute. */
  readonly passphraseFile: string | undefined
}

/** What to make for the keys to rest in. `passphrase` is overwritten after use. */
export type NewKeyStore =
  | { readonly kind: "keystore"; readonly passphrase: Uint8Array; readonly logN?: number }
  | { readonly kind: "keychain" | "nothing" }

function examplePolicy(): string {
  return readFileSync(join(packageRoot, "policies/example.yaml"), "utf8")
}

/**
 * Makes the files of a new installation, or none: what was made is removed when a later step fails.
 *
 * @throws {Fault} `already_initialised` when any of them is there, `file_unsafe` when a directory can't be made.
 */
export async function createInstallation(ask: NewInstallation): Promise<void> {
  const paths = pathsOf(ask.installation)
  assertSocketPathsFit(ask.installation)
  const files = [
    { path: paths.venueFile, text: ask.venueText },
    ...(ask.paperText === undefined ? [] : [{ path: paths.paperFile, text: ask.paperText }]),
    { path: join(paths.policiesDir, "example.yaml"), text: ask.policyText ?? examplePolicy() },
    // Last, so that an installation is there only when all of it is.
    { path: paths.configFile, text: ask.configText },
  ]
  const made: string[] = []
  try {
    assertNothingThere([
      ...files.map(({ path }) => path),
      ...[paths.ledgerFile, paths.keystoreDir, paths.keychainDir],
    ])
    await makeDirectories(ask, made)
    await makeKeyStore(ask, made)
    for (const { path, text } of files) {
      await writeFile(path, text, { mode: 0o600, flag: "wx" })
      made.push(path)
    }
  } catch (error) {
    for (const path of made.reverse()) await rm(path, { recursive: true, force: true })
    throw error instanceof Fault ? error : directoryFault(ask.installation, error)
  } finally {
    if (ask.keyStore.kind === "keystore") ask.keyStore.passphrase.fill(0)
  }
}

/** Notes in `made` what has to go again if a later step fails. */
async function makeDirectories(
  { installation, passphraseFile }: NewInstallation,
  made: string[],
): Promise<void> {
  const { policiesDir } = pathsOf(installation)
  for (const directory of [installation.stateDir, installation.configDir, policiesDir]) {
    const topmost = await mkdir(directory, { recursive: true, mode: 0o700 })
    if (topmost !== undefined) made.push(topmost)
    if (directory === installation.stateDir) await makePrivate(directory, passphraseFile)
  }
}

async function makeKeyStore(
  { installation, keyStore }: NewInstallation,
  made: string[],
): Promise<void> {
  const { keystoreDir, keychainDir } = pathsOf(installation)
  switch (keyStore.kind) {
    case "nothing":
      return
    case "keychain":
      made.push(keychainDir) // nothing was there: that was looked at first
      return createRegistry(keychainDir)
    case "keystore": {
      await mkdir(keystoreDir, { mode: 0o700 }) // fails where one is: only what we made may go again
      made.push(keystoreDir)
      const { passphrase, logN } = keyStore
      return createKeystore({
        directory: keystoreDir,
        passphrase,
        ...(logN !== undefined && { logN }),
      })
    }
  }
}

function assertNothingThere(paths: readonly string[]): void {
  const there = paths.find((path) => isThere(path))
  if (there === undefined) return
  throw new Fault(
    "already_initialised",
    `${there} exists already; choose an empty directory, or move it away.`,
  )
}

/**
 * The state directory holds keys, so it must be private. One that was there before is made private when
 * it holds nothing but perhaps the passphrase's file; anything else could be meant for others.
 */
async function makePrivate(directory: string, passphraseFile: string | undefined): Promise<void> {
  const { mode, uid } = await lstat(directory)
  if ((mode & 0o077) === 0) return
  const others = (await readdir(directory)).filter(
    (name) => join(directory, name) !== passphraseFile,
  )
  if (others.length === 0 && uid === process.geteuid?.()) return chmod(directory, 0o700)
  throw new Fault(
    "file_unsafe",
    `${directory} is open to others; run: chmod 700 ${shellWord(directory)}`,
  )
}

function directoryFault({ configDir, stateDir }: Installation, cause: unknown): Fault {
  const code = codeOf(cause) ?? "unknown error"
  const where = configDir === stateDir ? configDir : `${configDir} or ${stateDir}`
  return new Fault(
    "file_unsafe",
    `${where} can't be written (${code}), so nothing was made; check its owner and the disk.`,
    {
      cause,
    },
  )
}

/** scrypt's cost where a person chose the passphrase: about a second and 256 MiB (as of 2026). */
const passphraseLogN = 18

/** scrypt's cost under a credential, which is random but made by somebody else. */
export const credentialLogN = 12

/**
 * Makes a keystore without keys: random bytes that all keys rest under, wrapped under the passphrase. `logN` is
 * 18 unless `passphrase` is itself random. `passphrase` stays the caller's, to overwrite.
 *
 * @throws {Fault} `already_initialised`, `passphrase_missing`, `file_unsafe`.
 */
export async function createKeystore(input: {
  readonly directory: string
  readonly passphrase: Uint8Array
  readonly logN?: number
}): Promise<void> {
  const { directory, passphrase, logN = passphraseLogN } = input
  if (passphrase.length === 0) {
    throw new Fault(
      "passphrase_missing",
      "The passphrase is empty; choose one of 12 characters or more.",
    )
  }
  await makePrivateDirectory(directory)
  // A new master.json beside keys of an old one would look like a keystore and open none of them.
  const files = await readdir(directory)
  if (files.some(isKeyFile)) throw alreadyInitialised(directory)

  const json = await withSecret(randomBytes(32), (secret) =>
    encryptV3({ secret, password: passphrase, logN }),
  )
  if (!(await writeNewFile(masterFileOf(directory), json))) throw alreadyInitialised(directory)
}

function alreadyInitialised(directory: string): Fault {
  return new Fault(
    "already_initialised",
    `${directory} holds a keystore already, so nothing was changed; choose another directory.`,
  )
}

/**
 * Makes the directory that says which items of the keychain are this installation's keys, without keys.
 *
 * @throws {Fault} `already_initialised`, `keystore_unavailable`, `file_unsafe`.
 */
export async function createRegistry(directory: string): Promise<void> {
  await makePrivateDirectory(directory)
  // Keys of an old registry would be looked for under a service that never had them.
  const isUsed = (await readNames(directory)).length > 0
  const service = `countersign-${randomBytes(16).toString("hex")}`
  if (isUsed || !(await writeNewFile(serviceFileOf(directory), service))) {
    const message = `${directory} lists keys of the keychain already, so nothing was changed; choose another directory.`
    throw new Fault("already_initialised", message)
  }
}

/**
 * Makes a directory of mode 0700, or sees that the one that is there is private.
 *
 * @throws {Fault} `keystore_unavailable` when it can't be made, `file_unsafe` when others get into it.
 */
async function makePrivateDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
    await syncDirectory(dirname(directory))
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") {
      const message = `${directory} can't be made (${codeOf(cause) ?? "unknown error"}); check the directory above it.`
      throw new Fault("keystore_unavailable", message, { cause })
    }
  }
  await assertPrivateDirectory(directory)
}

/** Where a new installation's keys should rest, and the one sentence that says why. */
type BackendChoice = { readonly backend: "keychain" | "keystore"; readonly why: string }

const works = "is unlocked, and stored, gave back and deleted a trial item."

/** Chooses the keychain where it stores, gives back and deletes a throw-away item; else a keystore. */
export async function chooseBackend(
  driver: KeychainDriver = "native",
  lend = withKeychain,
): Promise<BackendChoice> {
  try {
    await tryKeychain(driver, lend)
    return { backend: "keychain", why: `The operating system's keychain ${works}` }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { backend: "keystore", why: error.message }
  }
}

/**
 * The keychain because somebody asked for it. One that is there must work. Where none can be reached it may be the unit's
 * own, which runs only with the daemon: that is told.
 *
 * @throws {Fault} `keychain_locked`, `keychain_unavailable`, `keychain_mismatch`.
 */
export async function wantedKeychain(
  driver: KeychainDriver,
  { check = preflight, lend = withKeychain } = {},
): Promise<BackendChoice> {
  const state = await check()
  if (state === "no_bus" || state === "no_service") {
    const why = `--backend says so. None can be reached from here (${missingWords[state]}), so it wasn't tried; the daemon needs one, or ends at its start.`
    return { backend: "keychain", why }
  }
  await tryKeychain(driver, lend)
  return { backend: "keychain", why: `--backend says so. It ${works}` }
}

const missingWords = {
  no_bus: "there is no D-Bus session bus",
  no_service: "no Secret Service runs on the session bus",
} as const

/** One name for every trial: what an interrupted one leaves, the next one overwrites and deletes. */
const trial = { service: "countersign-trial", account: "trial" } as const

async function tryKeychain(driver: KeychainDriver, lend: typeof withKeychain): Promise<void> {
  const { service } = trial
  await withSecret(randomBytes(32), (secret) =>
    lend({ driver, service }, (keychain) => tryItem(keychain, secret)),
  )
}

async function tryItem(keychain: Keychain, secret: Uint8Array): Promise<void> {
  await keychain.setPassword(trial.account, secret)
  const found = await keychain.getPassword(trial.account)
  const isSame = found !== undefined && Buffer.compare(found, secret) === 0
  const wasThere = await keychain.deletePassword(trial.account)
  if (isSame && wasThere) return
  throw new Fault("keychain_mismatch", "The keychain doesn't give back what was stored in it.")
}
