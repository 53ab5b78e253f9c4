import { openPrompts, type Prompts } from "./prompts.ts"
import type { Output, Streams } from "./streams.ts"

/** Where a command reads, prints and asks. */
export type Terminal = Streams & {
  readonly prompts: Prompts
  /** Resolves once nobody reads standard output any more, as after `| head`. */
  readonly unread: Promise<void>
  /** A text for people, with each command that it names as it has to be typed for the installation at hand. */
  readonly complete: (text: string) => string
}

/** The terminal that these streams make. `stdin` isn't touched before somebody asks for it. */
export function openTerminal(streams: Streams): Terminal {
  const { stdout, stderr } = streams
  void untilUnread(stderr)
  return {
    get stdin() {
      return streams.stdin
    },
    stdout,
    stderr,
    prompts: openPrompts(streams),
    unread: untilUnread(stdout),
    complete: (text) => text,
  }
}

/** The same terminal, where texts are completed in this way. */
export function completing(terminal: Terminal, complete: Terminal["complete"]): Terminal {
  return Object.create(terminal, { complete: { value: complete } }) as Terminal // `stdin` isn't touched for it
}

/** Resolves when its reader has gone. That is no failure: what is written from then on goes nowhere. */
function untilUnread(output: Output): Promise<void> {
  return new Promise((resolve) => {
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
      resolve()
    })
  })
}
