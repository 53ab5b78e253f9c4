import { buffer } from "node:stream/consumers"

import type { Command } from "commander"

import { Fault } from "../../std/fault.ts"
import { decryptV3 } from "../../vault/keyring/keystore-v3.ts"
import { parseSecretHex } from "../../vault/keyring/parse-secret.ts"
import { readSecretFile } from "../../vault/keyring/read-secret-file.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import { command, runs, withInstallation, withJson } from "../command.ts"
import { print } from "../print.ts"
import { withVault } from "../with-vault.ts"
import { accessOf, keyLines, keyOptions, type KeyOptions } from "./key-options.ts"

type ImportOptions = KeyOptions & { readonly keystorePasswordFile?: string }

/** More than any keystore file holds; bounds what is read from stdin. */
const maxInputBytes = 64 * 1024

/** `countersign keys import`: the key comes on stdin, never as an argument. */
export function keysImport(): Command {
  const made = keyOptions(
    command("import", "take a private key from stdin: hex, or a v3 JSON keystore"),
  ).option(
    "--keystore-password-file <file>",
    "the input is a v3 JSON keystore with the password in this file",
  )
  return runs<ImportOptions>(withJson(withInstallation(made)), async (options) => {
    const { name, role, wallet } = options
    const agentOf = wallet === undefined ? {} : { wallet }
    const key = await withSecret(await readSecret(options.keystorePasswordFile), (bytes) =>
      withVault(accessOf(options), (admin) => {
        const secret = Buffer.from(bytes).toString("base64")
        return admin.call("importKey", { name, role, ...agentOf, secret })
      }),
    )
    print(key, options, keyLines)
  })
}

async function readSecret(passwordFile: string | undefined): Promise<Uint8Array> {
  if (process.stdin.isTTY) {
    throw new Fault("usage", "The key comes on standard input: countersign keys import … < key.hex")
  }
  const input = await buffer(process.stdin)
  if (input.length > maxInputBytes) {
    throw new Fault(
      "key_invalid",
      "Standard input holds more than 64 KiB; that isn't a private key.",
    )
  }
  if (passwordFile !== undefined) return decryptInput(input, passwordFile)
  const secret = parseSecretHex(input)
  input.fill(0)
  if (secret !== undefined) return secret
  throw new Fault(
    "key_invalid",
    "Standard input holds no private key: 64 hex digits are expected, or a v3 JSON keystore with --keystore-password-file.",
  )
}

async function decryptInput(input: Uint8Array, passwordFile: string): Promise<Uint8Array> {
  const password = await readSecretFile(passwordFile)
  try {
    return await decryptV3(new TextDecoder().decode(input), password)
  } finally {
    password.fill(0)
  }
}
