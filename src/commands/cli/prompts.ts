import type { Key } from "node:readline"

import type * as clack from "@clack/prompts"

import { utf8 } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import type { Streams } from "./streams.ts"

/**
 * Questions to the person at the terminal. They are written to standard error, so that what --json prints
 * stays alone on standard output. Ctrl-C and Ctrl-D leave a question.
 *
 * A limit we accept: what is typed is a string first, which can't be overwritten; a secret is bytes from here on.
 */
export type Prompts = {
  /** Whether there is somebody to ask: standard input and standard error are a terminal. */
  readonly canAsk: () => boolean
  /** @throws {Fault} `usage` where there is nobody to ask, saying what to do `instead`. */
  readonly assertCanAsk: (instead: string) => void
  /**
   * Asks for a secret without showing it. `instead` is as in "name a file with --password-file". The caller
   * overwrites the bytes after use.
   *
   * @throws {Fault} `usage` where there is nobody to ask, `cancelled` when it is left.
   */
  readonly secret: (message: string, instead: string) => Promise<Uint8Array>
  /** As `secret`, of what somebody else has chosen: it may be empty. */
  readonly password: (message: string, instead: string) => Promise<Uint8Array>
  /** As `secret`, twice, for one that is to be chosen, of 12 characters or more. */
  readonly newSecret: (message: string, instead: string) => Promise<Uint8Array>
  /** Asks yes or no; no when it is left. */
  readonly confirm: (message: string) => Promise<boolean>
  /** Asks for a line of text, which is shown; `undefined` when it is left. */
  readonly line: (message: string) => Promise<string | undefined>
}

/** The questions that can be asked on these streams. */
export function openPrompts(streams: Pick<Streams, "stdin" | "stderr">): Prompts {
  const canAsk = (): boolean => streams.stdin.isTTY === true && streams.stderr.isTTY === true
  const assertCanAsk = (instead: string): void => {
    if (canAsk()) return
    throw new Fault("usage", `There is no terminal to ask on; ${instead}.`)
  }
  const hidden = async (message: string, instead: string, validate: Validate): Promise<string> => {
    assertCanAsk(instead)
    const typed = await answerTo<string>(streams, ({ password }, on) =>
      password({ message, validate, clearOnError: true, ...on }),
    )
    if (typed === undefined) throw new Fault("cancelled", "Nothing was done.")
    return typed
  }
  return {
    canAsk,
    assertCanAsk,
    secret: async (message, instead) => utf8(await hidden(message, instead, mistakeInSecret)),
    password: async (message, instead) => utf8(await hidden(message, instead, () => undefined)),
    newSecret: async (message, instead) => {
      const chosen = await hidden(message, instead, mistakeInNew)
      const again = `${message}, once more`
      await hidden(again, instead, (typed) => (typed === chosen ? undefined : notTheSame))
      return utf8(chosen)
    },
    confirm: async (message) => {
      const answer = await answerTo<boolean>(streams, ({ confirm }, on) =>
        confirm({ message, initialValue: false, ...on }),
      )
      return answer === true
    },
    line: (message) => answerTo<string>(streams, ({ text }, on) => text({ message, ...on })),
  }
}

type Validate = (typed: string | undefined) => string | undefined

/** What clack reads and writes. */
type On = {
  readonly input: Streams["stdin"]
  readonly output: Streams["stderr"]
  readonly signal: AbortSignal
}

/**
 * The answer to a question, or `undefined` when it is left. The library is loaded for the question: a daemon
 * that starts without one would pay for it too. On Ctrl-D it would leave its promise open for ever, so that is
 * made to mean what Ctrl-C does.
 */
async function answerTo<Answer>(
  { stdin: input, stderr: output }: Pick<Streams, "stdin" | "stderr">,
  ask: (library: typeof clack, on: On) => Promise<Answer | symbol>,
): Promise<Answer | undefined> {
  const library = await import("@clack/prompts")
  const ended = new AbortController()
  const onKeypress = (_text: unknown, { ctrl = false, name }: Key): void => {
    if (ctrl && name === "d") ended.abort()
  }
  input.on("keypress", onKeypress)
  try {
    const answer = await ask(library, { input, output, signal: ended.signal })
    return library.isCancel(answer) ? undefined : (answer as Answer) // its one symbol is its word for cancelled
  } finally {
    input.off("keypress", onKeypress)
  }
}

function mistakeInSecret(typed = ""): string | undefined {
  return typed === "" ? "Type it, or press Ctrl-C to stop." : undefined
}

/** Fewer are guessed, at whatever cost of scrypt. */
const minNewSecretChars = 12

function mistakeInNew(typed = ""): string | undefined {
  const chars = Array.from(typed).length
  if (chars >= minNewSecretChars) return undefined
  return `It has ${chars} characters and needs ${minNewSecretChars} or more; several words are easy to remember.`
}

const notTheSame = "This isn't the same; type it again, or press Ctrl-C to stop."
