import { open, rm, type FileHandle } from "node:fs/promises"
import { resolve } from "node:path"

import { decodeUtf8, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import type { Config } from "../../vault/config/config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { openKeyStore, type SecretSource } from "../../vault/custody/open-key-store.ts"
import { encryptV3 } from "../../vault/keyring/keystore-v3.ts"
import { pickCurve } from "../../vault/keyring/curve.ts"
import type { Ledger } from "../../vault/ledger/ledger.ts"
import { openLedger } from "../../vault/ledger/open-ledger.ts"
import { systemClock } from "../../vault/process/clock.ts"
import { addressOfPublicKey, type Address } from "../../venue/address.ts"
import { option, required } from "../cli/command.ts"
import { passphraseFrom, readSecretOption } from "../cli/secret-option.ts"
import { confirmDeed, type Terminal } from "../cli/terminal.ts"
import { passphraseOption, installationCommand } from "../installation/installation-command.ts"
import { becomeOwner } from "../installation/usual-installation.ts"
import { loadConfig } from "../installation/admin.ts"

const fileInstead =
  "name the file that holds the new keystore's password with --password-file, or run this on a terminal"

/** `countersign keys export`: with the daemon stopped, at the keyboard or with a password file, and recorded. */
export const keysExport = installationCommand({
  changes: "installation",
  description: "write a key as a v3 JSON keystore, with the daemon stopped; it is recorded",
  examples: [
    "countersign keys export --name main --to main.json",
    "countersign keys export --name main --to main.json --password-file password",
  ],
  options: {
    name: required(option("--name <name>", "the key to export")),
    to: required(option("--to <file>", "a new file for the keystore")),
    passwordFile: option(
      "--password-file <file>",
      "holds the password that the new file is encrypted under; else it is asked for",
    ),
    ...passphraseOption,
  },
  answer: async (installation, { name, to, passwordFile, passphraseFile }, terminal) => {
    if (passwordFile === undefined) terminal.prompts.assertCanAsk(fileInstead)
    const file = resolve(to)
    becomeOwner(installation.stateDir)
    const address = await exportKey({
      installation,
      name,
      secret: passphraseFrom(terminal, passphraseFile),
      password: (found) =>
        passwordFile === undefined
          ? askPassword(terminal, { name, to, address: found })
          : readSecretOption(passwordFile, terminal),
      to: file,
    })
    return { name, address, file: to }
  },
  print: ({ name, address, file }) => [
    `${name}, address ${address}, is written to ${file}. The export is in the ledger.`,
  ],
})

/** At the keyboard, after the person has seen which address it is. */
async function askPassword(
  terminal: Terminal,
  ask: { readonly name: string; readonly address: Address; readonly to: string },
): Promise<Uint8Array> {
  await confirmDeed(
    terminal,
    `Write the private key ${ask.name} of ${ask.address} to ${ask.to}? Whoever opens that file can sign as it.`,
  )
  return terminal.prompts.newSecret("New password for the file", fileInstead)
}

/** scrypt's cost for a file that leaves: N = 2^18, as geth uses it. */
const exportLogN = 18

type ExportAsk = {
  readonly installation: Installation
  readonly name: string
  /** What opens a keystore; overwritten after use. */
  readonly secret: SecretSource
  /** What the new file is encrypted under, asked for once the key is found; overwritten after use. */
  readonly password: (address: Address) => Promise<Uint8Array>
  readonly to: string
}

/**
 * Writes a key as a stand-alone v3 keystore file and returns its address. The only way by which a key gets
 * out: offline, at the keyboard, recorded before it is done. No socket has a call for it.
 *
 * @throws {Fault} `daemon_running`, `key_not_found`, `file_unsafe`.
 */
async function exportKey(ask: ExportAsk): Promise<Address> {
  const config = await loadConfig(ask.installation)
  if (config.keystore.backend === "memory") {
    throw new Fault(
      "usage",
      "This installation keeps its keys in memory only; there is nothing to export.",
    )
  }
  // Held from before anything is asked until the file is written, so that no daemon starts in between.
  const ledger = await openStopped(pathsOf(ask.installation).ledgerFile)
  try {
    const { address, text } = await encrypted(ask, config)
    await withNewKeyFile(ask.to, async (file) => {
      await ledger.act({ act: "key_exported", name: ask.name }, ledger.now())
      await file.writeFile(`${text}\n`)
    })
    return address
  } finally {
    await ledger.close()
  }
}

async function encrypted(
  ask: ExportAsk,
  config: Config,
): Promise<{ readonly address: Address; readonly text: string }> {
  const store = await openKeyStore({ ...ask, config, curve: pickCurve() })
  try {
    const { secret, publicKey } = await store.load(ask.name)
    return await withSecret(secret, async () => {
      const address = addressOfPublicKey(publicKey)
      const text = await withSecret(await ask.password(address), async (password) => {
        assertPortable(password)
        return encryptV3({ secret, password, logN: exportLogN, address })
      })
      return { address, text }
    })
  } finally {
    store.lock()
  }
}

async function openStopped(ledgerFile: string): Promise<Ledger> {
  return openLedger({ file: ledgerFile, clock: systemClock }).catch((error: unknown) => {
    if (!(error instanceof Fault) || error.code !== "already_running") throw error
    throw new Fault("daemon_running", "Keys are exported with the daemon stopped; stop it first.", {
      cause: error,
    })
  })
}

/** The file is made first, so that nothing is recorded that can't be done, and filled last. */
async function withNewKeyFile(
  path: string,
  fill: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, "wx", 0o600).catch((cause: unknown) => {
    const message = `${path} can't be made as a new file; choose a path where none is.`
    throw new Fault("file_unsafe", message, { cause })
  })
  try {
    await fill(file)
    await file.sync()
  } catch (error) {
    await rm(path)
    throw error
  } finally {
    await file.close()
  }
}

/**
 * Refuses a password of a new key file that tools would read differently, so that some couldn't open it: ethers and
 * thor-devkit bring it into NFKC, the others take its bytes; and a control character at an end is cut off by those that
 * read it from a file.
 *
 * @throws {Fault} `usage`, with what is wrong and none of the password.
 */
function assertPortable(password: Uint8Array): void {
  const text = decodeUtf8(password)
  const why = text.ok ? whyDifferent(text.value) : "isn't UTF-8 text"
  if (why === undefined) return
  throw new Fault(
    "usage",
    `The new password ${why}, so tools would read it differently; choose another.`,
  )
}

function whyDifferent(text: string): string | undefined {
  if (/[\p{Cc}\ufeff]/u.test(text))
    return "holds a control character, a line's end or a byte order mark"
  const isNormal = text === text.normalize("NFKC")
  return isNormal
    ? undefined
    : "isn't in the Unicode form NFKC (such as º for o, or an accent apart)"
}
