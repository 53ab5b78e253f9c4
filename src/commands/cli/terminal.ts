import { openPrompts, type Prompts } from "./prompts.ts"
import type { Streams } from "./streams.ts"

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
