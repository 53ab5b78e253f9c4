import type { Command } from "commander"

import { exportKey } from "../../vault/export-key.ts"
import { readSecretFile } from "../../vault/keyring/read-secret-file.ts"
import {
  command,
  installationOf,
  runs,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { passphraseOf } from "../passphrase.ts"
import { print, type Printing } from "../print.ts"

type ExportOptions = InstallationOptions &
  Printing & {
    readonly name: string
    readonly to: string
    readonly passwordFile: string
    readonly passphraseFile?: string
  }

/** `countersign keys export`: with the daemon stopped, and recorded. */
export function keysExport(): Command {
  const made = command(
    "export",
    "write a key as a v3 JSON keystore, with the daemon stopped; it is recorded",
  )
    .requiredOption("--name <name>", "the key to export")
    .requiredOption("--to <file>", "a new file for the keystore")
    .requiredOption("--password-file <file>", "the password that the new file is encrypted under")
    .option("--passphrase-file <file>", "overrides the file in countersign.yaml")
  return runs<ExportOptions>(withJson(withInstallation(made)), async (options) => {
    const password = await readSecretFile(options.passwordFile)
    try {
      await exportKey({
        installation: installationOf(options),
        name: options.name,
        passphrase: (config) => passphraseOf(config, options.passphraseFile),
        password,
        to: options.to,
      })
    } finally {
      password.fill(0)
    }
    print({ name: options.name, file: options.to }, options, ({ name, file }) => [
      `${name} is written to ${file}. The export is in the ledger.`,
    ])
  })
}
