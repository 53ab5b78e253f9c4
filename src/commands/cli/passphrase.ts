import { Fault } from "../../std/fault.ts"
import type { SecretSource } from "../../vault/custody/open-key-store.ts"
import { secretFileOf } from "../../vault/custody/secret-file-of.ts"
import { readSecretOption } from "./secret-option.ts"
import type { Terminal } from "./terminal.ts"

const fileInstead = "name a file with --passphrase-file, or run this on a terminal"

/**
 * What reads the passphrase from the file that the option, countersign.yaml or systemd's credential names, or
 * asks for it.
 *
 * @throws {Fault} `passphrase_missing`, `file_unsafe`, `cancelled`.
 */
export function passphraseFrom(terminal: Terminal, optionFile: string | undefined): SecretSource {
  return async (config) => passphraseFor(terminal, secretFileOf(config, optionFile))
}

/** As {@link passphraseFrom}, where it is known what holds it. */
export function passphraseFor(terminal: Terminal, file: string | undefined): Promise<Uint8Array> {
  return file === undefined ? askPassphrase(terminal) : readSecretOption(file, terminal)
}

/**
 * Asks on the terminal for the passphrase of a keystore that there is, without showing what is typed.
 *
 * @throws {Fault} `passphrase_missing` without a terminal, `cancelled`.
 */
export async function askPassphrase({ prompts }: Terminal): Promise<Uint8Array> {
  assertAskable(prompts)
  return prompts.secret("Passphrase of the keystore", fileInstead)
}

/**
 * Asks on the terminal, twice, for the passphrase of a keystore that is to be made.
 *
 * @throws {Fault} `passphrase_missing` without a terminal, `cancelled`.
 */
export async function askNewPassphrase({ prompts }: Terminal): Promise<Uint8Array> {
  assertAskable(prompts)
  return prompts.newSecret("New passphrase of the keystore", fileInstead)
}

/** A daemon that starts by itself comes here too, so this has a code of its own and isn't `usage`. */
function assertAskable({ canAsk }: Terminal["prompts"]): void {
  if (canAsk()) return
  throw new Fault("passphrase_missing", `The keystore's passphrase is needed: ${fileInstead}.`)
}
