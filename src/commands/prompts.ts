import type { Key } from "node:readline"

import type * as prompts from "@clack/prompts"

import { utf8 } from "../std/bytes.ts"
import { Fault } from "../std/fault.ts"

// Questions to the person at the terminal. They are written to standard error, so that what --json prints
// stays alone on standard output. A limit we accept: what is typed is a string first, which can't be
// overwritten; it is bytes from here on.

/** Fewer are guessed, at whatever cost of scrypt. */
const minNewSecretChars = 12

/**
 * Asks for a secret without showing it. `instead` says what to do where there is no terminal, as in
 * "name a file with --password-file". The caller overwrites the bytes after use.
 *
 * @throws {Fault} `usage` without a terminal, `cancelled` on Ctrl-C.
 */
export async function askSecret(message: string, instead: string): Promise<Uint8Array> {
  const validate = (typed = "") => (typed === "" ? "Type it, or press Ctrl-C to stop." : undefined)
  return utf8(await askHidden(message, { instead, validate }))
}

/**
 * Asks twice for a secret that is to be chosen, of 12 characters or more. The caller overwrites the bytes
 * after use.
 *
 * @throws {Fault} `usage` without a terminal, `cancelled` on Ctrl-C.
 */
export async function askNewSecret(message: string, instead: string): Promise<Uint8Array> {
  const chosen = await askHidden(message, { instead, validate: mistakeInNew })
  const validate = (again = "") =>
    again === chosen ? undefined : "This isn't the same; type it again, or press Ctrl-C to stop."
  await askHidden(`${message}, once more`, { instead, validate })
  return utf8(chosen)
}

/**
 * Resolves once a person has agreed to what can't be undone, or at once where `--yes` did.
 *
 * @throws {Fault} `usage` without a terminal and `--yes`, `cancelled` on no or Ctrl-C.
 */
export async function confirmDeed(
  message: string,
  { yes = false }: { readonly yes?: boolean | undefined },
): Promise<void> {
  if (yes) return
  assertTerminal("agree to it with --yes")
  const isAgreed = await answerTo<boolean>(({ confirm }, streams) =>
    confirm({ message, initialValue: false, ...streams }),
  )
  if (!isAgreed) throw cancelled()
}

/**
 * Throws unless there is somebody to ask: standard input and standard error are a terminal.
 *
 * @throws {Fault} `usage`, saying what to do `instead`.
 */
export function assertTerminal(instead: string): void {
  if (isOnTerminal()) return
  throw new Fault("usage", `There is no terminal to ask on; ${instead}.`)
}

/** Whether a question could be asked and answered here. */
export function isOnTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

type Validate = (typed: string | undefined) => string | undefined

async function askHidden(
  message: string,
  { instead, validate }: { readonly instead: string; readonly validate: Validate },
): Promise<string> {
  assertTerminal(instead)
  return answerTo<string>(({ password }, streams) =>
    password({ message, validate, clearOnError: true, ...streams }),
  )
}

type Streams = {
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly signal: AbortSignal
}

/**
 * The library is loaded for the question: a daemon that starts without one would pay for it too. On Ctrl-D it
 * would leave its promise open for ever, so that is made to mean what Ctrl-C does.
 */
async function answerTo<Answer>(
  ask: (library: typeof prompts, streams: Streams) => Promise<Answer | symbol>,
): Promise<Answer> {
  const library = await import("@clack/prompts")
  const ended = new AbortController()
  const onKeypress = (_text: unknown, { ctrl = false, name }: Key): void => {
    if (ctrl && name === "d") ended.abort()
  }
  const { stdin: input, stderr: output } = process
  input.on("keypress", onKeypress)
  try {
    const answer = await ask(library, { input, output, signal: ended.signal })
    if (library.isCancel(answer)) throw cancelled()
    return answer as Answer // the library's one symbol is its word for cancelled
  } finally {
    input.off("keypress", onKeypress)
  }
}

function mistakeInNew(typed = ""): string | undefined {
  const chars = Array.from(typed).length
  if (chars >= minNewSecretChars) return undefined
  return `It has ${chars} characters and needs ${minNewSecretChars} or more; several words are easy to remember.`
}

function cancelled(): Fault {
  return new Fault("cancelled", "Nothing was done.")
}
