import { Option, type Command } from "commander"

import type { KeyView } from "../../link/views.ts"
import { installationOf, type InstallationOptions } from "../command.ts"
import type { Printing } from "../print.ts"
import type { VaultAccess } from "../with-vault.ts"

export type KeyOptions = InstallationOptions &
  Printing & {
    readonly name: string
    readonly role: "wallet" | "agent"
    readonly wallet?: string
    readonly passphraseFile?: string
  }

/** Adds what `keys generate` and `keys import` both take. */
export function keyOptions(made: Command): Command {
  return made
    .requiredOption("--name <name>", "what the key is called here")
    .addOption(
      new Option(
        "--role <role>",
        "wallet keys sign account operations, agent keys trade for a wallet",
      )
        .choices(["wallet", "agent"])
        .makeOptionMandatory(),
    )
    .option("--wallet <name>", "the wallet key that an agent key acts for")
    .option("--passphrase-file <file>", "overrides the file in countersign.yaml")
}

/** A new key, for people. */
export function keyLines(key: KeyView): readonly string[] {
  return [`${key.name}: ${key.role} key, address ${key.address}`]
}

/** How a command that needs the private keys opens the vault. */
export function accessOf(options: KeyOptions): VaultAccess {
  return {
    installation: installationOf(options),
    keys: "needed",
    passphraseFile: options.passphraseFile,
  }
}
