import type { Command } from "commander"

import type { KeyView } from "../../link/views.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import { command, runs, withExamples, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { withVault } from "../with-vault.ts"
import { importSecret, type ImportForm } from "./import-secret.ts"
import { accessOf, keyLines, keyOptions, type KeyOptions } from "./key-options.ts"

type Imported = KeyView & {
  /** `null` unless the key came from a mnemonic. */
  readonly derivation_path: string | null
  /** The vault takes no key that fails this. */
  readonly signed_and_recovered: true
}

/** `countersign keys import`: the key comes on stdin, in a file or by prompt, never as an argument. */
export function keysImport(): Command {
  const made = keyOptions(
    command("import", "take a private key: hex, a v3 JSON keystore, or a mnemonic"),
  )
    .option("--from <file>", "the file that holds it; else standard input, or a prompt")
    .option(
      "--keystore-password-file <file>",
      "the input is a v3 JSON keystore with the password in this file",
    )
    .option("--mnemonic", "the input is a BIP-39 mnemonic of English words")
    .option("--path <path>", "where in the mnemonic's tree the key is (default: m/44'/60'/0'/0/0)")
    .option("--mnemonic-passphrase-file <file>", "the mnemonic's own passphrase, if it has one")
  withExamples(
    made,
    "countersign keys import --name main --role wallet < key.hex",
    "countersign keys import --name main --role wallet --from keystore.json",
    "countersign keys import --name mm --role agent --wallet main --mnemonic --path \"m/44'/60'/0'/0/1\"",
  )
  return runs<KeyOptions & ImportForm>(withJson(withInstallation(made)), async (options) => {
    const { name, role, wallet } = options
    const agentOf = wallet === undefined ? {} : { wallet }
    const { secret, path } = await importSecret(options)
    const key = await withSecret(secret, (bytes) =>
      withVault(accessOf(options), (admin) =>
        admin.call("importKey", { name, role, ...agentOf, secret: base64Of(bytes) }),
      ),
    )
    const imported = { ...key, derivation_path: path ?? null, signed_and_recovered: true } as const
    print(imported, options, importLines)
  })
}

function importLines(key: Imported): readonly string[] {
  const from = key.derivation_path === null ? [] : [`derivation path: ${key.derivation_path}`]
  return [...keyLines(key), ...from, "signed and recovered: ok"]
}

/** As the socket takes it. The bytes of the buffer in between are overwritten; the text can't be. */
function base64Of(bytes: Uint8Array): string {
  return withSecret(Buffer.from(bytes), (copy) => (copy as Buffer).toString("base64"))
}
