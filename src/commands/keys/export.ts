import { resolve } from "node:path"

import type { Address } from "../../venue/address.ts"
import { confirmDeed, type Terminal } from "../cli/terminal.ts"
import { option, required } from "../cli/options.ts"
import { passphraseFrom, readSecretOption } from "../cli/secret-option.ts"
import { passphraseOption } from "../installation/admin-command.ts"
import { becomeOwner } from "../installation/caller.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { exportKey } from "./export-key.ts"

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
