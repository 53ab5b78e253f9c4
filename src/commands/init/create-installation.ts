import { chmod, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"

import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { shellWord } from "../../std/visible.ts"
import {
  assertSocketPathsFit,
  pathsOf,
  type Installation,
} from "../../vault/config/installation.ts"
import { createKeystore } from "./create-keystore.ts"
import { createRegistry } from "./create-registry.ts"

export type NewInstallation = {
  readonly installation: Installation
  readonly configText: string
  readonly venueText: string
  readonly policyText: string
  readonly keyStore: NewKeyStore
  /** Where the passphrase came from, absolute. */
  readonly passphraseFile: string | undefined
}

/** What to make for the keys to rest in. `passphrase` is overwritten after use. */
export type NewKeyStore =
  | { readonly kind: "keystore"; readonly passphrase: Uint8Array; readonly logN?: number }
  | { readonly kind: "keychain" | "nothing" }

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
    { path: join(paths.policiesDir, "example.yaml"), text: ask.policyText },
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
  const code = (cause as NodeJS.ErrnoException).code ?? "unknown error" // fs throws ErrnoExceptions
  const where = configDir === stateDir ? configDir : `${configDir} or ${stateDir}`
  return new Fault(
    "file_unsafe",
    `${where} can't be written (${code}), so nothing was made; check its owner and the disk.`,
    {
      cause,
    },
  )
}
