import { constants, fstatSync, lstatSync, read, type Stats } from "node:fs"
import { open } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

import { copySecret, newSecret, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { assertPrivate, codeOf, readPrivateFile } from "../../std/private-file.ts"
import type { SecretSource } from "../../vault/custody/open-key-store.ts"
import { secretFileOf, notEmpty, secretIn } from "../../vault/custody/secret-file.ts"
import type { Terminal, Input } from "./terminal.ts"

const fileInstead = "name a file with --passphrase-file, or run this on a terminal"

/**
 * What reads the passphrase from the file that the option, countersign.yaml or systemd's credential names, or
 * asks for it.
 *
 * @throws {Fault} `passphrase_missing`, `file_unsafe`, `cancelled`.
 */
export function passphraseFrom(terminal: Terminal, optionFile: string | undefined): SecretSource {
  return async (config) => passphraseFor(terminal, secretFileOf(config, optionFile))
}

/** As {@link passphraseFrom}, where it is known what holds it. */
export function passphraseFor(terminal: Terminal, file: string | undefined): Promise<Uint8Array> {
  return file === undefined ? askPassphrase(terminal) : readSecretOption(file, terminal)
}

/**
 * Asks on the terminal for the passphrase of a keystore that there is, without showing what is typed.
 *
 * @throws {Fault} `passphrase_missing` without a terminal, `cancelled`.
 */
export async function askPassphrase({ prompts }: Terminal): Promise<Uint8Array> {
  assertAskable(prompts)
  return prompts.secret("Passphrase of the keystore", fileInstead)
}

/**
 * Asks on the terminal, twice, for the passphrase of a keystore that is to be made.
 *
 * @throws {Fault} `passphrase_missing` without a terminal, `cancelled`.
 */
export async function askNewPassphrase({ prompts }: Terminal): Promise<Uint8Array> {
  assertAskable(prompts)
  return prompts.newSecret("New passphrase of the keystore", fileInstead)
}

/** A daemon that starts by itself comes here too, so this has a code of its own and isn't `usage`. */
function assertAskable({ canAsk }: Terminal["prompts"]): void {
  if (canAsk()) return
  throw new Fault("passphrase_missing", `The keystore's passphrase is needed: ${fileInstead}.`)
}

/** A secret as it came in, and the words for where it came from. */
export type SecretInput = { readonly bytes: Uint8Array; readonly source: string }

/**
 * Reads a secret from what the option names, else from standard input, else by a hidden prompt; never from an
 * argument or the environment. The caller overwrites the bytes after use.
 *
 * @throws {Fault} `usage` when there is no such file or nobody to ask, `file_unsafe` when others could read
 * it, `key_invalid` when it is too large, `cancelled`.
 */
export async function readSecretInput(
  terminal: Terminal,
  ask: {
    readonly file: string | undefined
    /** What the prompt asks for. */
    readonly prompt: string
  },
): Promise<SecretInput> {
  const { stdin, prompts } = terminal
  const file = ask.file ?? (stdin.isTTY === true ? undefined : "-")
  if (file !== undefined) return { bytes: await readNamed(file, terminal), source: sourceOf(file) }
  const instead = "give the key on standard input, or in a file that --from names"
  return { bytes: await prompts.secret(ask.prompt, instead), source: "What was typed" }
}

async function readNamed(path: string, terminal: Terminal): Promise<Uint8Array> {
  const bytes = await readSecretBytes(path, () => terminal.stdin)
  if (bytes !== undefined) return bytes
  throw new Fault("usage", `${path} doesn't exist; --from names the file that holds the key.`)
}

/**
 * The passphrase or password that an option names, as {@link readSecretBytes} finds it, without the one newline that
 * editors put at the end. The caller overwrites it after use.
 *
 * @throws {Fault} `passphrase_missing` when there is none or nothing in it, `file_unsafe`, `usage`.
 */
export async function readSecretOption(path: string, terminal: Terminal): Promise<Uint8Array> {
  return notEmpty(await readPassword(path, terminal), sourceOf(path))
}

/** As {@link readSecretOption}, of a password that somebody else has chosen: it may be empty. */
export async function readPassword(path: string, terminal: Terminal): Promise<Uint8Array> {
  return secretIn(await readSecretBytes(path, () => terminal.stdin), sourceOf(path))
}

/** What an option names, as a sentence begins with it. */
export function sourceOf(path: string): string {
  return path === "-" ? "Standard input" : path
}

/** Far more than any secret or key file has; bounds what a wrong path can make us read. */
const maxBytes = 64 * 1_024

/** How long a pipe of somebody's own may have no writer. */
const writerWithinMs = 60_000

/**
 * The bytes that an option for a secret names: `-` is standard input; a pipe that the shell opened (`<(…)`) or that lies
 * somewhere under a name (mkfifo) is read to its end; else it is a file that its owner alone can read. So nobody has to
 * write a secret to disk. `undefined` where there is no such file. The caller overwrites it after use.
 *
 * @throws {Fault} `file_unsafe`, `usage`.
 */
async function readSecretBytes(path: string, stdin: () => Input): Promise<Uint8Array | undefined> {
  const descriptor = descriptorOf(path)
  if (descriptor === 0) return readStandardInput(stdin())
  if (descriptor !== undefined) return readDescriptor(path, descriptor)
  return isNamedPipe(path) ? readNamedPipe(path) : readPrivateFile(path, maxBytes)
}

/** Whether it can be read but once. */
export function isPipe(path: string): boolean {
  return descriptorOf(path) !== undefined || isNamedPipe(path)
}

function descriptorOf(path: string): number | undefined {
  if (path === "-" || path === "/dev/stdin") return 0
  const found = /^\/(?:dev|proc\/self)\/fd\/(\d{1,4})$/.exec(path)
  return found === null ? undefined : Number(found[1])
}

function isNamedPipe(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFIFO() === true
}

/** Reads all of it, and overwrites the pieces. @throws {Fault} `usage`, `key_invalid` where it is too much. */
async function readStandardInput(stdin: Input): Promise<Uint8Array> {
  if (stdin.isTTY === true) {
    throw new Fault(
      "usage",
      "Standard input is a terminal, which would show the secret; pipe it, or leave the option out to be asked.",
    )
  }
  if (stdin.readableEnded) {
    throw new Fault(
      "usage",
      "Standard input was read for another secret already; give one of the two by a file or a pipe of its own.",
    )
  }
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of stdin as AsyncIterable<Buffer>) {
      pieces.push(piece)
      length += piece.length
      if (length > maxBytes) throw tooLarge("Standard input")
    }
    return withSecret(Buffer.concat(pieces), copySecret)
  } finally {
    for (const piece of pieces) piece.fill(0)
  }
}

/** By the number and not the name, which can't be opened by the user that root becomes. */
function readDescriptor(path: string, descriptor: number): Promise<Uint8Array> {
  const stats = statOf(path, descriptor)
  if (stats.isFile()) assertPrivate(path, stats)
  else if (!stats.isFIFO() && !stats.isSocket()) {
    throw new Fault("file_unsafe", `${path} must be a pipe or a file.`)
  }
  return readToEnd(descriptor, path, Date.now())
}

function statOf(path: string, descriptor: number): Stats {
  try {
    return fstatSync(descriptor)
  } catch (cause) {
    const message = `${path} isn't open in this process: sudo, for one, closes what it was given. Use - and standard input.`
    throw new Fault("usage", message, { cause })
  }
}

async function readNamedPipe(path: string): Promise<Uint8Array> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags).catch((cause: unknown) => {
    throw new Fault(
      "file_unsafe",
      `${path} can't be opened (${codeOf(cause) ?? "unknown error"}).`,
      { cause },
    )
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFIFO()) throw new Fault("file_unsafe", `${path} isn't a pipe any more.`)
    assertPrivate(path, stats)
    return await readToEnd(handle.fd, path, Date.now() + writerWithinMs)
  } finally {
    await handle.close()
  }
}

/** To where the last writer has closed it. Before the first byte an end is taken for no writer yet, until `firstByMs`. */
async function readToEnd(descriptor: number, path: string, firstByMs: number): Promise<Uint8Array> {
  const buffer = newSecret(maxBytes + 1)
  let length = 0
  try {
    for (;;) {
      const bytesRead = await readSome(descriptor, buffer.subarray(length))
      length += bytesRead
      if (length > maxBytes) throw tooLarge(path)
      if (bytesRead === 0 && (length > 0 || Date.now() >= firstByMs)) break
      if (bytesRead === 0) await sleep(20)
    }
    return copySecret(buffer.subarray(0, length))
  } finally {
    buffer.fill(0)
  }
}

const readFrom = promisify(read)

/** Waits for what a writer hasn't written yet; 0 where there is no writer. */
async function readSome(descriptor: number, into: Uint8Array): Promise<number> {
  for (;;) {
    try {
      return (await readFrom(descriptor, into, 0, into.length, null)).bytesRead
    } catch (error) {
      if (codeOf(error) !== "EAGAIN") throw error
      await sleep(20)
    }
  }
}

function tooLarge(source: string): Fault {
  return new Fault("key_invalid", `${source} holds more than 64 KiB; that is no key or passphrase.`)
}
