import type { KeyView } from "../../contract/bot-views.ts"
import { decodeUtf8, utf8, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { decryptPair } from "../../vault/keyring/keystore-v3.ts"
import { nobleCurve } from "../../vault/keyring/curve.ts"
import { flag, option, type Given } from "../cli/command.ts"
import {
  passphraseFrom,
  readSecretInput,
  readPassword,
  readSecretOption,
  sourceOf,
  type SecretInput,
} from "../cli/secret-option.ts"
import type { Terminal } from "../cli/terminal.ts"
import { passphraseOption, installationCommand } from "../installation/installation-command.ts"
import { withVault } from "../installation/admin.ts"
import {
  defaultPathText,
  invalid,
  parseDerivationPath,
  secretOfMnemonic,
  parseSecretHex,
  secretShape,
  type DerivationPath,
  type SecretShape,
} from "./secret-text.ts"
import { addKey, keyLines, keyOptions } from "./keys.ts"

/** They say what the input is and what opens it. */
const formOptions = {
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
}

type ImportForm = Given<typeof formOptions>

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
    ...formOptions,
  },
  answer: async (installation, options, terminal): Promise<Imported> => {
    const access = { installation, secret: passphraseFrom(terminal, options.passphraseFile) }
    const { secret, path } = await importSecret(options, terminal)
    const key = await withSecret(secret, () =>
      withVault(access, (admin) => addKey(admin, options, secret)),
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

/**
 * Reads the key that is to be imported: hex, a v3 JSON keystore, or a BIP-39 mnemonic. The secret's 32 bytes are the
 * caller's to overwrite; `path` says where in a mnemonic's tree the key is.
 *
 * @throws {Fault} `usage` naming the option that the input takes, `key_invalid`, `keystore_invalid`,
 * `passphrase_wrong`, `passphrase_missing`, `file_unsafe`, `cancelled`; none quotes what was read.
 */
async function importSecret(form: ImportForm, terminal: Terminal) {
  const path = pathOf(form)
  const prompt =
    path === undefined ? "Private key, 64 hex digits" : "Mnemonic, its words in one line"
  const input = await readSecretInput(terminal, { file: form.from, prompt })
  return withSecret(input.bytes, async () => ({
    secret: await (path === undefined
      ? secretOf(input, form, terminal)
      : deriveFrom(input, { form, path, terminal })),
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
  asked: { readonly form: ImportForm; readonly path: DerivationPath; readonly terminal: Terminal },
): Promise<Uint8Array> {
  const { form, path, terminal } = asked
  const { kind } = secretShape(bytes)
  if (kind === "json" || kind === "hex") {
    const what = kind === "json" ? "JSON" : "hex"
    throw usage(`${source} holds ${what} and not words; leave --mnemonic out.`)
  }
  const file = form.mnemonicPassphraseFile
  const passphrase = file === undefined ? new Uint8Array() : await readSecretOption(file, terminal)
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
  terminal: Terminal,
): Promise<Uint8Array> {
  const text = decodeUtf8(bytes)
  if (!text.ok)
    throw new Fault("keystore_invalid", `${source} isn't UTF-8 text; give a v3 JSON keystore.`)
  const file = form.keystorePasswordFile
  const password = await (file === undefined
    ? terminal.prompts.password(
        "Password of the keystore file",
        `${source} holds JSON: name the file with its password by --keystore-password-file`,
      )
    : readPassword(file, terminal))
  const from = file === undefined ? "what was typed" : sourceOf(file)
  return withSecret(password, () => openByPassword(text.value, password, { source, from }))
}

/** By the password as it is, else in NFKC: ethers and others normalise it, and others don't. */
async function openByPassword(
  json: string,
  password: Uint8Array,
  { source, from }: { readonly source: string; readonly from: string },
): Promise<Uint8Array> {
  const text = decodeUtf8(password)
  const normalised = utf8(text.ok ? text.value.normalize("NFKC") : "")
  const others = text.ok && Buffer.compare(normalised, password) !== 0 ? [normalised] : []
  for (const tried of [password, ...others]) {
    const secret = await secretBy(json, tried, source)
    if (secret !== undefined) return secret
  }
  throw new Fault(
    "passphrase_wrong",
    `The password of the keystore file ${source} is wrong: ${from}. Try again with the right one.`,
  )
}

/** `undefined` when the password is wrong. */
async function secretBy(
  json: string,
  password: Uint8Array,
  source: string,
): Promise<Uint8Array | undefined> {
  try {
    return (await decryptPair(json, password, nobleCurve)).secret
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    if (error.code === "passphrase_wrong") return undefined
    throw new Fault(error.code, `${source}: ${error.message}`, { cause: error })
  }
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
