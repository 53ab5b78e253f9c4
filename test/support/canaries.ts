import { appendFileSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join, relative } from "node:path"

// During a run of test/run.ts the tests say here which secrets they made or used, and keep what somebody
// could read: it is searched for them when the run ends. Without such a run nothing is kept.

/** Names the directory of the run to all processes of the tests. */
export const canaryDirectoryVariable = "CANARY_DIRECTORY"

/** In that directory: the secrets, one JSON text a line, and before each output's own name. */
export const secretsName = "secrets"
export const outputPrefix = "output-"

/** What is shorter, or of fewer different bytes, would be found where nothing leaked. */
const shortestSecretBytes = 12
const fewestDifferentBytes = 6

/** Files that hold a secret because they are there for it. */
const secretFiles = ["admin.secret", "passphrase"]

const directory = process.env[canaryDirectoryVariable]
const outputNames = new Map<string, string>()

/**
 * Registers a secret that must be in no output. Hex of 32 bytes, with or without `0x`, counts as bytes, all
 * other text as it is.
 *
 * @throws when it is so short or plain that other text could hold it by chance.
 */
export function registerSecret(name: string, secret: string | Uint8Array): void {
  const bytes = bytesOf(secret)
  if (!canBeTold(bytes)) throw new Error(`${name} can't be told from other text; use a longer one`)
  if (directory === undefined) return
  const line = JSON.stringify({ name: `${name} (${testFile()})`, hex: bytes.toString("hex") })
  appendFileSync(join(directory, secretsName), `${line}\n`, { mode: 0o600 })
}

/** Registers what may be a secret, or a word that a test gives in place of one. */
export function registerIfSecret(name: string, secret: string | Uint8Array): void {
  if (canBeTold(bytesOf(secret))) registerSecret(name, secret)
}

/** Keeps an output. What is kept under one name is searched as one text. */
export function keepOutput(name: string, output: string | Uint8Array): void {
  if (directory === undefined) return
  let file = outputNames.get(name)
  if (file === undefined) {
    file = join(directory, `${outputPrefix}${process.pid}-${outputNames.size}`)
    outputNames.set(name, file)
    appendFileSync(file, `${name} (${testFile()})\n`, { mode: 0o600 })
  }
  appendFileSync(file, output)
}

/** Keeps every file below a directory, if it is still there, but those that are there to hold a secret. */
export function keepFiles(root: string): void {
  if (directory === undefined || !existsSync(root)) return
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" })) {
    const path = join(root, name)
    if (secretFiles.includes(basename(path)) || !statSync(path).isFile()) continue
    keepOutput(`the file ${name} in ${root}`, readFileSync(path))
  }
}

function bytesOf(secret: string | Uint8Array): Buffer {
  if (typeof secret !== "string") return Buffer.from(secret)
  const [, hex] = /^(?:0x)?([0-9a-f]{64})$/i.exec(secret) ?? []
  return hex === undefined ? Buffer.from(secret) : Buffer.from(hex, "hex")
}

function canBeTold(bytes: Uint8Array): boolean {
  return bytes.length >= shortestSecretBytes && new Set(bytes).size >= fewestDifferentBytes
}

function testFile(): string {
  return relative(process.cwd(), process.argv[1] ?? "")
}
