import { openPrompts, type Prompts } from "./prompts.ts"
import type { Output, Streams } from "./streams.ts"

/** Where a command reads, prints and asks. */
export type Terminal = Streams & {
  readonly prompts: Prompts
  /** Resolves once nobody reads standard output any more, as after `| head`. */
  readonly unread: Promise<void>
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
  }
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
