import { isAbsolute, join } from "node:path"

import { Fault } from "../../std/fault.ts"
import type { Config } from "../config/config.ts"

/**
 * The file that opens the keystore: the one named, else the one in countersign.yaml, else the credential
 * that systemd put into `$CREDENTIALS_DIRECTORY`. `undefined` where it has to be asked for.
 *
 * @throws {Fault} `passphrase_missing` when a credential is configured and systemd gave none.
 */
export function secretFileOf(
  { keystore }: Pick<Config, "keystore">,
  named: string | undefined,
  directory = process.env["CREDENTIALS_DIRECTORY"],
): string | undefined {
  const file = named ?? keystore.passphraseFile
  if (file !== undefined || keystore.credential === undefined) return file
  if (directory !== undefined && isAbsolute(directory)) return join(directory, keystore.credential)
  throw new Fault(
    "passphrase_missing",
    `The keystore is opened by the systemd credential ${keystore.credential}, and this process was given none: start the unit that has LoadCredentialEncrypted=${keystore.credential}:…, or name a file with --passphrase-file.`,
  )
}
