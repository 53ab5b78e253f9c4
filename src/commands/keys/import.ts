import type { KeyView } from "../../link/views/views.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import { flag, option } from "../cli/options.ts"
import { passphraseFrom } from "../cli/secret-option.ts"
import { passphraseOption } from "../installation/admin-command.ts"
import { installationCommand } from "../installation/installation-command.ts"
import { withVault } from "../installation/with-vault.ts"
import { addKey } from "./add-key.ts"
import { importSecret } from "./import-secret.ts"
import { keyLines, keyOptions, newKeyOf } from "./key-options.ts"

/** `countersign keys import`: the key comes on stdin, in a file or by prompt, never as an argument. */
export const keysImport = installationCommand({
  changes: "installation",
  description: "take a private key: hex, a v3 JSON keystore, or a mnemonic",
  examples: [
    "countersign keys import --name main --role wallet < key.hex",
    "countersign keys import --name main --role wallet --from keystore.json",
    "countersign keys import --name mm --role agent --wallet main --mnemonic --path \"m/44'/60'/0'/0/1\"",
  ],
  options: {
    ...keyOptions,
    ...passphraseOption,
    from: option("--from <file>", "the file that holds it; else standard input, or a prompt"),
    keystorePasswordFile: option(
      "--keystore-password-file <file>",
      "the input is a v3 JSON keystore with the password in this file",
    ),
    mnemonic: flag("--mnemonic", "the input is a BIP-39 mnemonic of English words"),
    path: option(
      "--path <path>",
      "where in the mnemonic's tree the key is (default: m/44'/60'/0'/0/0)",
    ),
    mnemonicPassphraseFile: option(
      "--mnemonic-passphrase-file <file>",
      "the mnemonic's own passphrase, if it has one",
    ),
  },
  answer: async (installation, options, terminal): Promise<Imported> => {
    const access = { installation, secret: passphraseFrom(terminal, options.passphraseFile) }
    const { secret, path } = await importSecret(options, terminal)
    const key = await withSecret(secret, () =>
      withVault(access, (admin) => addKey(admin, newKeyOf(options), secret)),
    )
    return { ...key, derivation_path: path ?? null, signed_and_recovered: true }
  },
  print: importLines,
})

type Imported = KeyView & {
  /** `null` unless the key came from a mnemonic. */
  readonly derivation_path: string | null
  /** The vault takes no key that fails this. */
  readonly signed_and_recovered: true
}

function importLines(key: Imported): readonly string[] {
  const from = key.derivation_path === null ? [] : [`derivation path: ${key.derivation_path}`]
  return [...keyLines(key), ...from, "signed and recovered: ok"]
}
