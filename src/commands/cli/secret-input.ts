import { concatBytes } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile } from "../../std/fs/private-file.ts"
import type { Input } from "./streams.ts"
import type { Terminal } from "./terminal.ts"

/** A secret as it came in, and the words for where it came from. */
export type SecretInput = { readonly bytes: Uint8Array; readonly source: string }

/** More than any keystore file holds. */
const maxInputBytes = 64 * 1024

/**
 * Reads a secret from a private file, else from standard input, else by a hidden prompt; never from an
 * argument or the environment. The caller overwrites the bytes after use.
 *
 * @throws {Fault} `usage` when there is no such file or nobody to ask, `file_unsafe` when others could read
 * it, `key_invalid` when it is too large, `cancelled`.
 */
export async function readSecretInput(
  { stdin, prompts }: Terminal,
  ask: {
    readonly file: string | undefined
    /** What the prompt asks for. */
    readonly prompt: string
  },
): Promise<SecretInput> {
  if (ask.file !== undefined) return { bytes: await readFrom(ask.file), source: ask.file }
  if (stdin.isTTY !== true) return { bytes: await readAll(stdin), source: "Standard input" }
  const instead = "give the key on standard input, or in a file that --from names"
  return { bytes: await prompts.secret(ask.prompt, instead), source: "What was typed" }
}

async function readFrom(path: string): Promise<Uint8Array> {
  const bytes = await readPrivateFile(path, maxInputBytes)
  if (bytes !== undefined) return bytes
  throw new Fault("usage", `${path} doesn't exist; --from names the file that holds the key.`)
}

/** Stops reading where it is too much, and overwrites the pieces. */
async function readAll(stdin: Input): Promise<Uint8Array> {
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of stdin as AsyncIterable<Buffer>) {
      pieces.push(piece)
      length += piece.length
      if (length > maxInputBytes) throw tooLarge()
    }
    return concatBytes(...pieces)
  } finally {
    for (const piece of pieces) piece.fill(0)
  }
}

function tooLarge(): Fault {
  return new Fault(
    "key_invalid",
    "Standard input holds more than 64 KiB; that isn't a private key.",
  )
}
