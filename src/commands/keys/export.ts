import { resolve } from "node:path"

import type { Command } from "commander"

import type { Address } from "../../venue/address.ts"
import { exportKey } from "../../vault/export-key.ts"
import { readSecretFile } from "../../vault/keyring/read-secret-file.ts"
import { becomeOwner } from "../become-owner.ts"
import {
  command,
  installationOf,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { passphraseOf } from "../passphrase.ts"
import { print, type Printing } from "../print.ts"
import { askNewSecret, assertTerminal, confirmDeed } from "../prompts.ts"

type ExportOptions = InstallationOptions &
  Printing & {
    readonly name: string
    readonly to: string
    readonly passwordFile?: string
    readonly passphraseFile?: string
  }

const fileInstead =
  "name the file that holds the new keystore's password with --password-file, or run this on a terminal"

/** `countersign keys export`: with the daemon stopped, at the keyboard or with a password file, and recorded. */
export function keysExport(): Command {
  const made = command(
    "export",
    "write a key as a v3 JSON keystore, with the daemon stopped; it is recorded",
  )
    .requiredOption("--name <name>", "the key to export")
    .requiredOption("--to <file>", "a new file for the keystore")
    .option(
      "--password-file <file>",
      "holds the password that the new file is encrypted under; else it is asked for",
    )
    .option("--passphrase-file <file>", "overrides the file in countersign.yaml")
  withExamples(
    made,
    "countersign keys export --name main --to main.json",
    "countersign keys export --name main --to main.json --password-file password",
  )
  return runs<ExportOptions>(withJson(withInstallation(made)), async (options) => {
    if (options.passwordFile === undefined) assertTerminal(fileInstead)
    const installation = installationOf(options)
    const { name } = options
    const file = resolve(options.to)
    becomeOwner(installation.stateDir)
    const address = await exportKey({
      installation,
      name,
      secret: (config) => passphraseOf(config, options.passphraseFile),
      password: (found) => passwordFor({ ...options, address: found }),
      to: file,
    })
    print({ name, address, file: options.to }, options, (made) => [
      `${made.name}, address ${made.address}, is written to ${made.file}. The export is in the ledger.`,
    ])
  })
}

/** From the file; at the keyboard after the person has seen which address it is. */
async function passwordFor(
  ask: Pick<ExportOptions, "name" | "to" | "passwordFile"> & { readonly address: Address },
): Promise<Uint8Array> {
  if (ask.passwordFile !== undefined) return readSecretFile(ask.passwordFile)
  await confirmDeed(
    `Write the private key ${ask.name} of ${ask.address} to ${ask.to}? Whoever opens that file can sign as it.`,
    {},
  )
  return askNewSecret("New password for the file", fileInstead)
}
