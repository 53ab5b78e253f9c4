import { open } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"
import type { Terminal } from "../cli/terminal.ts"

/** More than any signature with what a wallet may print around it. */
const maxInputBytes = 1_024

/**
 * Reads a signature from a file, else from standard input, else by asking; without the quotes and spaces
 * around it. It is no secret.
 *
 * @throws {Fault} `usage`, `cancelled`.
 */
export async function readSignatureText(
  file: string | undefined,
  terminal: Terminal,
): Promise<string> {
  if (file !== undefined) return bare(await readFirstBytes(file))
  if (terminal.prompts.canAsk()) return askSignature(terminal)
  let input = ""
  for await (const piece of terminal.stdin as AsyncIterable<Buffer>) {
    input += piece.toString("latin1")
    if (input.length > maxInputBytes) throw tooLong()
  }
  return bare(input)
}

/** Asks on the terminal; what is pasted is shown. @throws {Fault} `cancelled`. */
export async function askSignature({ prompts }: Terminal): Promise<string> {
  const answer = await prompts.line("The wallet's signature (0x…)")
  if (answer === undefined) throw new Fault("cancelled", "Nothing was sent.")
  return bare(answer)
}

async function readFirstBytes(path: string): Promise<string> {
  const file = await open(path).catch((cause: unknown) => {
    throw new Fault("usage", `${path} can't be read; --signature-file names a file.`, { cause })
  })
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxInputBytes + 1))
    if (bytesRead > maxInputBytes) throw tooLong()
    return buffer.toString("latin1", 0, bytesRead)
  } finally {
    await file.close()
  }
}

function bare(typed: string): string {
  return typed.trim().replace(/^(["'])(.*)\1$/s, "$2")
}

function tooLong(): Fault {
  return new Fault("usage", "This is too long for a signature; 0x and 130 hex digits are expected.")
}
