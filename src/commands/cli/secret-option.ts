import { constants, fstatSync, lstatSync, read, type Stats } from "node:fs"
import { open } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"

import { copySecret, newSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { assertPrivate, codeOf, readPrivateFile } from "../../std/private-file.ts"
import { notEmpty, secretIn } from "../../vault/keyring/read-secret-file.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import type { Input } from "./streams.ts"
import type { Terminal } from "./terminal.ts"

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
export async function readSecretBytes(
  path: string,
  stdin: () => Input,
): Promise<Uint8Array | undefined> {
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
export async function readStandardInput(stdin: Input): Promise<Uint8Array> {
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
