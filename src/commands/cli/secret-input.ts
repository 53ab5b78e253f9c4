import { Fault } from "../../std/fault.ts"
import { readSecretBytes, sourceOf } from "./secret-option.ts"
import type { Terminal } from "./terminal.ts"

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
  if (file !== undefined) return { bytes: await readFrom(file, terminal), source: sourceOf(file) }
  const instead = "give the key on standard input, or in a file that --from names"
  return { bytes: await prompts.secret(ask.prompt, instead), source: "What was typed" }
}

async function readFrom(path: string, terminal: Terminal): Promise<Uint8Array> {
  const bytes = await readSecretBytes(path, () => terminal.stdin)
  if (bytes !== undefined) return bytes
  throw new Fault("usage", `${path} doesn't exist; --from names the file that holds the key.`)
}
