import { isCancel, password } from "@clack/prompts"

import { utf8 } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"
import type { Config } from "../vault/config.ts"
import { readSecretFile } from "../vault/keyring/read-secret-file.ts"

/**
 * The passphrase: from the file that the option or else countersign.yaml names, or asked for on a terminal.
 *
 * @throws {Fault} `passphrase_missing`, `file_unsafe`.
 */
export async function passphraseOf(
  { keystore }: Pick<Config, "keystore">,
  optionFile: string | undefined,
): Promise<Uint8Array> {
  const file = optionFile ?? keystore.passphraseFile
  return file === undefined ? askPassphrase() : readSecretFile(file)
}

/** Asks on the terminal, without showing what is typed. */
export async function askPassphrase(): Promise<Uint8Array> {
  if (!process.stdin.isTTY) {
    throw new Fault(
      "passphrase_missing",
      "The keystore's passphrase is needed: name a file with --passphrase-file, or run this on a terminal.",
    )
  }
  const typed = await password({ message: "Passphrase of the keystore", output: process.stderr })
  if (isCancel(typed) || typed === "") {
    throw new Fault("passphrase_missing", "No passphrase was given; nothing was done.")
  }
  return utf8(typed)
}
