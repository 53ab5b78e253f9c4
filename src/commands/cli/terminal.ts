import { closeSync, openSync } from "node:fs"
import type { Key } from "node:readline"
import type { Readable, Writable } from "node:stream"

import type * as clack from "@clack/prompts"

import { utf8 } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"

/** Where a command reads, prints and asks. */
export type Terminal = Streams & {
  readonly prompts: Prompts
  /** Resolves once nobody reads standard output any more, as after `| head`. */
  readonly unread: Promise<void>
  /** Whether something that was to be printed couldn't be written, though somebody reads. */
  readonly lost: () => boolean
  /** A text for people, with each command that it names as it has to be typed for the installation at hand. */
  readonly complete: (text: string) => string
}

/** The terminal that these streams make. `stdin` isn't touched before somebody asks for it. */
export function openTerminal(streams: Streams): Terminal {
  const { stdout, stderr } = streams
  stderr.on("error", () => undefined) // there is nowhere else to tell it
  const { unread, lost } = watchOutput(streams)
  return {
    get stdin() {
      return streams.stdin
    },
    stdout,
    stderr,
    prompts: openPrompts(streams),
    unread,
    lost,
    complete: (text) => text,
  }
}

/** The same terminal, where texts are completed in this way. */
export function completing(terminal: Terminal, complete: Terminal["complete"]): Terminal {
  return Object.create(terminal, { complete: { value: complete } }) as Terminal // `stdin` isn't touched for it
}

/**
 * `unread` resolves when nothing can be printed any more: what is written from then on goes nowhere. That a reader has
 * gone is no failure; a disk without room is, and is told once.
 */
function watchOutput({ stdout, stderr }: Streams): Pick<Terminal, "unread" | "lost"> {
  let isLost = false
  const unread = new Promise<void>((resolve) => {
    stdout.once("error", (error: NodeJS.ErrnoException) => {
      stdout.on("error", () => undefined) // of what is written after
      isLost = error.code !== "EPIPE"
      if (isLost) stderr.write(`countersign: what it prints can't be written: ${error.message}.\n`)
      resolve()
    })
  })
  return { unread, lost: () => isLost }
}

export type Input = Readable & { readonly isTTY?: boolean }

export type Output = Writable & {
  readonly isTTY?: boolean
  /** How wide a terminal is, in characters. */
  readonly columns?: number
  /** How high, in lines. */
  readonly rows?: number
}

/** The three that every process has, or others in their place. */
type Streams = {
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
}

/**
 * Questions to the person at the terminal. They are written to standard error, so that what --json prints
 * stays alone on standard output. Ctrl-C and Ctrl-D leave a question.
 *
 * A limit we accept: what is typed is a string first, which can't be overwritten; a secret is bytes from here on.
 */
export type Prompts = ReturnType<typeof openPrompts>

/** The questions that can be asked on these streams. */
function openPrompts(streams: Pick<Streams, "stdin" | "stderr">) {
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
    /** Whether there is somebody to ask: standard input and standard error are a terminal. */
    canAsk,
    /** @throws {Fault} `usage` where there is nobody to ask, saying what to do `instead`. */
    assertCanAsk,
    /**
     * Asks for a secret without showing it. `instead` is as in "name a file with --password-file". The caller
     * overwrites the bytes after use.
     *
     * @throws {Fault} `usage` where there is nobody to ask, `cancelled` when it is left.
     */
    secret: async (message: string, instead: string) =>
      utf8(await hidden(message, instead, mistakeInSecret)),
    /** As `secret`, of what somebody else has chosen: it may be empty. */
    password: async (message: string, instead: string) =>
      utf8(await hidden(message, instead, () => undefined)),
    /** As `secret`, twice, for one that is to be chosen, of 12 characters or more. */
    newSecret: async (message: string, instead: string) => {
      const chosen = await hidden(message, instead, mistakeInNew)
      const again = `${message}, once more`
      await hidden(again, instead, (typed) => (typed === chosen ? undefined : notTheSame))
      return utf8(chosen)
    },
    /** Asks yes or no; no when it is left. */
    confirm: async (message: string) => {
      const answer = await answerTo<boolean>(streams, ({ confirm }, on) =>
        confirm({ message, initialValue: false, ...on }),
      )
      return answer === true
    },
    /** Asks for a line of text, which is shown; `undefined` when it is left. */
    line: (message: string) =>
      answerTo<string>(streams, ({ text }, on) => text({ message, ...on })),
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

/**
 * Resolves once a person has agreed to what can't be undone.
 *
 * @throws {Fault} `usage` where there is nobody to ask, `cancelled` on no, Ctrl-C or Ctrl-D.
 */
export async function confirmDeed({ prompts }: Terminal, message: string): Promise<void> {
  prompts.assertCanAsk("agree to it with --yes")
  if (!(await prompts.confirm(message))) throw new Fault("cancelled", "Nothing was done.")
}

/**
 * As {@link confirmDeed}, of what was shown just now and what the call will carry. Where there is nobody to ask, a script's
 * word holds for what stands as it is run.
 */
export async function agreeToShown(
  terminal: Terminal,
  { yes, question }: { readonly yes: boolean; readonly question: string },
): Promise<void> {
  if (!yes && terminal.prompts.canAsk()) await confirmDeed(terminal, question)
}

/**
 * Gives `run` what resolves at the first SIGTERM, SIGINT or other of these signals from now on, and listens for as long
 * as `run` takes.
 */
export async function withStopSignal(
  run: (stopped: Promise<unknown>) => Promise<void>,
  ...others: readonly NodeJS.Signals[]
): Promise<void> {
  const { promise, resolve: stop } = Promise.withResolvers<unknown>()
  const signals = ["SIGTERM", "SIGINT", ...others]
  for (const signal of signals) process.once(signal, stop)
  try {
    await run(promise)
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}

/**
 * Acts at every SIGHUP for as long as `run` takes, but the one by which a terminal says that it was closed: nobody asked
 * for anything then. Without a listener one would end the process.
 */
export async function atHangUp(act: () => void, run: () => Promise<void>): Promise<void> {
  let isAtTerminal = hasTerminal()
  const actIfAsked = (): void => {
    const wasAtTerminal = isAtTerminal
    isAtTerminal = hasTerminal()
    if (isAtTerminal || !wasAtTerminal) act()
  }
  process.on("SIGHUP", actIfAsked)
  try {
    await run()
  } finally {
    process.off("SIGHUP", actIfAsked)
  }
}

/** Whether this process has a controlling terminal, which a closed one is no more. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"))
    return true
  } catch {
    return false
  }
}
