import { decodeUtf8 } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { decryptPair } from "../../vault/keyring/keystore-v3.ts"
import { nobleCurve } from "../../vault/keyring/noble-curve.ts"
import { readSecretFile } from "../../vault/keyring/read-secret-file.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import { readSecretInput, type SecretInput } from "../cli/secret-input.ts"
import type { Terminal } from "../cli/terminal.ts"
import { defaultPathText, parseDerivationPath, type DerivationPath } from "./derivation-path.ts"
import { secretOfMnemonic } from "./mnemonic.ts"
import { parseSecretHex } from "./parse-secret.ts"
import { secretShape, type SecretShape } from "./secret-shape.ts"

/** The options that say what the input is and what opens it. */
export type ImportForm = {
  readonly from: string | undefined
  readonly keystorePasswordFile: string | undefined
  readonly mnemonic: boolean
  readonly path: string | undefined
  readonly mnemonicPassphraseFile: string | undefined
}

export type ImportedSecret = {
  /** 32 bytes, the caller's to overwrite. */
  readonly secret: Uint8Array
  /** Where in a mnemonic's tree the key is. */
  readonly path: string | undefined
}

/**
 * Reads the key that is to be imported: hex, a v3 JSON keystore, or a BIP-39 mnemonic.
 *
 * @throws {Fault} `usage` naming the option that the input takes, `key_invalid`, `keystore_invalid`,
 * `passphrase_wrong`, `passphrase_missing`, `file_unsafe`, `cancelled`; none quotes what was read.
 */
export async function importSecret(form: ImportForm, terminal: Terminal): Promise<ImportedSecret> {
  const path = pathOf(form)
  const prompt =
    path === undefined ? "Private key, 64 hex digits" : "Mnemonic, its words in one line"
  const input = await readSecretInput(terminal, { file: form.from, prompt })
  return withSecret(input.bytes, async () => ({
    secret: await (path === undefined
      ? secretOf(input, form, terminal)
      : deriveFrom(input, form, path)),
    path: path?.text,
  }))
}

/** Checked before the secret is asked for; `undefined` when the input isn't a mnemonic. */
function pathOf(form: ImportForm): DerivationPath | undefined {
  if (!form.mnemonic) {
    if (form.path === undefined && form.mnemonicPassphraseFile === undefined) return undefined
    throw usage(
      "--path and --mnemonic-passphrase-file go with --mnemonic; add it or leave them out.",
    )
  }
  if (form.keystorePasswordFile !== undefined) {
    throw usage("The input is a mnemonic or a keystore; leave one of the two options out.")
  }
  const path = parseDerivationPath(form.path ?? defaultPathText)
  if (path.ok) return path.value
  throw usage(`--path ${path.error}; it is written like ${defaultPathText}.`)
}

async function deriveFrom(
  { bytes, source }: SecretInput,
  form: ImportForm,
  path: DerivationPath,
): Promise<Uint8Array> {
  const { kind } = secretShape(bytes)
  if (kind === "json" || kind === "hex") {
    const what = kind === "json" ? "JSON" : "hex"
    throw usage(`${source} holds ${what} and not words; leave --mnemonic out.`)
  }
  const file = form.mnemonicPassphraseFile
  const passphrase = file === undefined ? new Uint8Array() : await readSecretFile(file)
  return withSecret(passphrase, () => secretOfMnemonic({ mnemonic: bytes, passphrase, path }))
}

async function secretOf(
  input: SecretInput,
  form: ImportForm,
  terminal: Terminal,
): Promise<Uint8Array> {
  const shape = secretShape(input.bytes)
  if (form.keystorePasswordFile !== undefined || shape.kind === "json") {
    return decrypt(input, form, terminal)
  }
  const secret = parseSecretHex(input.bytes)
  if (secret !== undefined) return secret
  throw noSecret(shape, input.source)
}

async function decrypt(
  { bytes, source }: SecretInput,
  form: ImportForm,
  { prompts }: Terminal,
): Promise<Uint8Array> {
  const text = decodeUtf8(bytes)
  if (!text.ok)
    throw new Fault("keystore_invalid", `${source} isn't UTF-8 text; give a v3 JSON keystore.`)
  const file = form.keystorePasswordFile
  const password = await (file === undefined
    ? prompts.secret(
        "Password of the keystore file",
        `${source} holds JSON: name the file with its password by --keystore-password-file`,
      )
    : readSecretFile(file))
  return withSecret(
    password,
    async () => (await decryptPair(text.value, password, nobleCurve)).secret,
  )
}

/** Which option the input would take, or what is wrong with it. */
function noSecret(shape: SecretShape, source: string): Fault {
  switch (shape.kind) {
    case "empty":
      return invalid(`${source} holds nothing; a private key is 64 hex digits.`)
    case "words":
      return usage(
        `${source} holds ${shape.count} words; if they are a mnemonic, add --mnemonic, else give 64 hex digits.`,
      )
    case "hex":
      return invalid(`${source} holds ${hexMistake(shape)}`)
    case "other":
      return invalid(
        `${source} isn't hex at character ${shape.at}; give 64 hex digits, a v3 JSON keystore, or a mnemonic with --mnemonic.`,
      )
    case "json":
      return invalid(`${source} holds JSON, which is no key in hex.`)
  }
}

function hexMistake({ digits, isSpaced }: Extract<SecretShape, { kind: "hex" }>): string {
  if (isSpaced) return `${digits} hex digits with white space between them; take it out.`
  if (digits !== 64) return `${digits} hex digits; a private key has 64.`
  return "zero or a number beyond the curve's order, and neither is a private key."
}

function usage(message: string): Fault {
  return new Fault("usage", message)
}

function invalid(message: string): Fault {
  return new Fault("key_invalid", message)
}
