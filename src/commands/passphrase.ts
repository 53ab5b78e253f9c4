import { Fault } from "../std/fault.ts"
import type { Config } from "../vault/config.ts"
import { readSecretFile } from "../vault/keyring/read-secret-file.ts"
import { secretFileOf } from "../vault/secret-file-of.ts"
import { askNewSecret, askSecret, isOnTerminal } from "./prompts.ts"

const fileInstead = "name a file with --passphrase-file, or run this on a terminal"

/**
 * The passphrase: from the file that the option, countersign.yaml or systemd's credential names, or asked for on a terminal.
 *
 * @throws {Fault} `passphrase_missing`, `file_unsafe`, `cancelled`.
 */
export async function passphraseOf(
  config: Pick<Config, "keystore">,
  optionFile: string | undefined,
): Promise<Uint8Array> {
  const file = secretFileOf(config, optionFile)
  return file === undefined ? askPassphrase() : readSecretFile(file)
}

/**
 * Asks on the terminal for the passphrase of a keystore that there is, without showing what is typed.
 *
 * @throws {Fault} `passphrase_missing` without a terminal, `cancelled`.
 */
export async function askPassphrase(): Promise<Uint8Array> {
  assertAskable()
  return askSecret("Passphrase of the keystore", fileInstead)
}

/**
 * Asks on the terminal, twice, for the passphrase of a keystore that is to be made.
 *
 * @throws {Fault} `passphrase_missing` without a terminal, `cancelled`.
 */
export async function askNewPassphrase(): Promise<Uint8Array> {
  assertAskable()
  return askNewSecret("New passphrase of the keystore", fileInstead)
}

/** A daemon that starts by itself comes here too, so this has a code of its own and isn't `usage`. */
function assertAskable(): void {
  if (isOnTerminal()) return
  throw new Fault("passphrase_missing", `The keystore's passphrase is needed: ${fileInstead}.`)
}
