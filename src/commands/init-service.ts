import { resolve } from "node:path"
import { randomBytes } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"

import { concatBytes, utf8 } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"
import { codeOf } from "../std/private-file.ts"
import { pathsOf } from "../vault/config/installation.ts"
import { command, choice, option } from "./cli/command.ts"
import { print } from "./cli/print.ts"
import { createInstallation, credentialLogN } from "./init/create-installation.ts"
import { configText, mainVenueText } from "./init/init-texts.ts"
import { jsonOption } from "./installation/installation-command.ts"
import { assertServiceable } from "./service/assert-serviceable.ts"
import {
  credentialFile,
  systemInstallation,
  target,
  credentialName,
  signerDir,
  vaultUser,
  vaultDirectories,
  thisSystem,
  identityOf,
  runOrFail,
  statusOf,
  type System,
} from "./service/system.ts"

/** `countersign init-service`: what the services start with, whatever has installed them. */
export const initService = command({
  description: "make the services' installation, with a keystore under a new random secret",
  examples: [
    "countersign init-service",
    "countersign init-service --copy-secret-to /run/countersign-key",
  ],
  options: {
    withKey: choice(
      "--with-key <kind>",
      "what encrypts the secret that opens the keystore (default: auto)",
      ["auto", "host", "tpm2", "host+tpm2"],
    ),
    copySecretTo: option(
      "--copy-secret-to <file>",
      "also write that secret to a new file; keep it offline: a restore on another machine needs it",
    ),
    ...jsonOption,
  },
  run: async ({ withKey = "auto", copySecretTo, json }, terminal) => {
    assertServiceable(thisSystem)
    assertNewInstallation(thisSystem)
    const copyTo = copySecretTo === undefined ? undefined : resolve(copySecretTo)
    await makeSystemInstallation(thisSystem, { withKey, copyTo })
    const { configDir: config_dir, stateDir: state_dir } = systemInstallation
    const answer = { config_dir, state_dir, credential: credentialFile, next: nextCommands }
    print(answer, { terminal, json }, ({ next }) => [
      `Made ${config_dir}, in which nothing is allowed yet, and ${state_dir}.`,
      `A new random secret opens the keystore. ${credentialFile} has it, encrypted for this machine.`,
      ...(copyTo === undefined ? [] : copyLines(copyTo)),
      "Next:",
      ...next.map((line) => `  ${line}`),
    ])
    return 0
  },
})

function copyLines(path: string): readonly string[] {
  return [
    `${path} has it too. Keep that offline, apart from all backups, and remove it here: when this machine`,
    "is gone, the backup of the keystore opens with it alone (docs/headless.md).",
  ]
}

const nextCommands: readonly string[] = [
  // systemctl comes back with 0 though a unit of the target has failed.
  `systemctl enable --now ${target}`,
  "countersign status",
  "countersign keys generate --name main --role wallet",
  "countersign keys generate --name mm --role agent --wallet main",
  "countersign clients add bot --keys mm",
  "write a rule into /etc/countersign/policies, then countersign policy reload",
  "countersign doctor --live   # tells what is missing for the real venue",
]

/** What encrypts the credential, as systemd-creds(1) has it in `--with-key=`. */
type CredentialKey = "auto" | "host" | "tpm2" | "host+tpm2"

type SecretWishes = {
  readonly withKey: CredentialKey
  /** A new file with the secret, to be kept elsewhere. */
  readonly copyTo: string | undefined
}

/**
 * Makes /etc/countersign's files and a keystore under a new random secret, which only a systemd credential
 * and the copy that was asked for hold. All of them are the vault's user's.
 *
 * @throws {Fault}
 */
export async function makeSystemInstallation(
  system: System,
  { withKey, copyTo }: SecretWishes,
): Promise<void> {
  const secret = hexOf(randomBytes(32))
  try {
    if (copyTo !== undefined) await writeCopy(copyTo, secret)
    try {
      // First the credential: an installation is there only when something opens it.
      await writeCredential(system, encrypted(system, withKey, secret))
      await withoutCredential(system, () => asUser(system, vaultUser, () => create(secret)))
    } catch (error) {
      if (copyTo !== undefined) await rm(copyTo, { force: true }) // it opens nothing
      throw error
    }
  } finally {
    secret.fill(0)
  }
}

function encrypted(system: System, withKey: CredentialKey, secret: Uint8Array): string {
  const options = [`--name=${credentialName}`, `--with-key=${withKey}`]
  return runOrFail(system, ["systemd-creds", "encrypt", ...options, "-", "-"], secret)
}

/** A new file: systemd-creds itself would write over the only secret of an older keystore. */
async function writeCredential({ root }: System, credential: string): Promise<void> {
  const file = `${root}${credentialFile}`
  try {
    await writeFile(file, credential, { mode: 0o600, flag: "wx", flush: true })
  } catch (cause) {
    const code = codeOf(cause) ?? "unknown error"
    if (code !== "EEXIST") await rm(file, { force: true }) // half of it, on a full disk
    throw new Fault(
      "install_failed",
      `${credentialFile} can't be made (${code}); if it is there, it may open an older keystore, so move it away and keep it.`,
      { cause },
    )
  }
}

/** Removes the credential that was just made when `act` fails, as it opens nothing then. */
async function withoutCredential({ root }: System, act: () => Promise<void>): Promise<void> {
  try {
    await act()
  } catch (error) {
    await rm(`${root}${credentialFile}`, { force: true })
    throw error
  }
}

/** `createInstallation` overwrites what it is given, so it gets a copy. */
function create(secret: Uint8Array): Promise<void> {
  const config = configText({ backend: "keystore", credential: credentialName })
  return createInstallation({
    installation: systemInstallation,
    configText: `${config}signer_dir: ${signerDir}\n`,
    venueText: mainVenueText(undefined),
    passphraseFile: undefined,
    keyStore: { kind: "keystore", passphrase: secret.slice(), logN: credentialLogN },
  })
}

async function writeCopy(path: string, secret: Uint8Array): Promise<void> {
  const line = concatBytes(secret, utf8("\n"))
  try {
    await writeFile(path, line, { mode: 0o600, flag: "wx", flush: true })
  } catch (cause) {
    const code = codeOf(cause) ?? "unknown error"
    throw new Fault("usage", `${path} can't be made (${code}); name a new file for the copy.`, {
      cause,
    })
  } finally {
    line.fill(0)
  }
}

/** Runs `act` with a user's rights, and takes root's back: files that it makes are that user's. */
async function asUser(system: System, user: string, act: () => Promise<void>): Promise<void> {
  const identity = identityOf(system, user)
  if (identity === undefined) throw new Fault("install_failed", `There is no user ${user}.`)
  process.setegid?.(identity.gid)
  process.seteuid?.(identity.uid)
  try {
    await act()
  } finally {
    process.seteuid?.(0)
    process.setegid?.(0)
  }
}

/** Lower-case hex as bytes: a string couldn't be overwritten. `raw` is overwritten. */
function hexOf(raw: Uint8Array): Uint8Array {
  const digits = utf8("0123456789abcdef")
  const hex = Uint8Array.from({ length: 2 * raw.length }, (_, index) => {
    const byte = raw[index >> 1] ?? 0
    return digits[index % 2 === 0 ? byte >> 4 : byte & 15] ?? 0
  })
  raw.fill(0)
  return hex
}

/**
 * Throws unless the services' installation can be made: its user and directories are there, and nothing of an
 * older one, whose keystore a new secret wouldn't open.
 *
 * @throws {Fault} `already_initialised`, `install_failed` when something is in the way that only a person can decide about.
 */
export function assertNewInstallation(system: System): void {
  const { configFile, keystoreDir, ledgerFile } = pathsOf(systemInstallation)
  const { configDir, stateDir } = systemInstallation
  const isThere = (path: string): boolean => statusOf(system, path) !== undefined
  if (isThere(configFile)) {
    throw new Fault(
      "already_initialised",
      `There is an installation in ${configDir} already; systemd-creds decrypt --name=${credentialName} ${credentialFile} - shows its secret, for a copy.`,
    )
  }
  const left = [keystoreDir, ledgerFile, credentialFile].find(isThere)
  if (left !== undefined) {
    throw new Fault(
      "install_failed",
      `${left} is there and ${configFile} isn't; put ${configDir} back from its backup, or move ${stateDir} and ${credentialFile} away, and keep both: one opens the other.`,
    )
  }
  assertOwnDirectories(system)
}

/** tmpfiles.d leaves what is there to whom it belongs: it may be in use. */
function assertOwnDirectories(system: System): void {
  const uid = identityOf(system, vaultUser)?.uid
  if (uid === undefined) {
    throw new Fault(
      "install_failed",
      `There is no user ${vaultUser}; install the services first, by countersign install-service or the Debian package.`,
    )
  }
  for (const path of vaultDirectories) {
    const status = statusOf(system, path)
    if (typeof status === "object" && status.isDirectory() && status.uid === uid) continue
    throw new Fault(
      "install_failed",
      `${path} isn't a directory of ${vaultUser}; move away what is there, run systemd-tmpfiles --create countersign.conf, and run this again.`,
    )
  }
}
