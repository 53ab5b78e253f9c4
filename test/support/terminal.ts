import { spawn } from "node:child_process"
import { once } from "node:events"
import { stripVTControlCharacters } from "node:util"

import { needs } from "./needs.ts"

/** Options for a test that runs something on a terminal. */
export const needsTerminal = needs("script", "apt install bsdutils")

/** What is typed once the screen shows `after`, later than the answer before it. */
export type Typed = { readonly after: string; readonly keys: string }

export type OnTerminal = {
  readonly code: number | null
  /** Everything that was shown, without what moves the cursor or colours. */
  readonly screen: string
}

export const enter = "\r"
export const ctrlC = "\x03"
export const ctrlD = "\x04"

/** Long enough for a slow scrypt or two; one that hangs is killed, and its code is null. */
const longestRunMs = 60_000

/**
 * Runs a shell's command line on a pseudo-terminal of its own (util-linux `script`) and types at it. Each
 * answer waits for its question, so nothing depends on time.
 */
export async function onTerminal(line: string, typed: readonly Typed[]): Promise<OnTerminal> {
  // Without a size every line would be wrapped at nothing.
  const sized = `stty cols 200 rows 50; ${line}`
  const child = spawn("script", ["-qec", sized, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    timeout: longestRunMs,
    killSignal: "SIGKILL",
    env: { ...process.env, SHELL: "/bin/sh", TERM: "xterm" },
  })
  child.stdin.on("error", () => undefined) // it may end before all is typed
  let screen = ""
  let seen = 0
  const waiting = [...typed]
  child.stdout.on("data", (chunk: Buffer) => {
    screen += stripVTControlCharacters(chunk.toString())
    for (;;) {
      const [next] = waiting
      const at = next === undefined ? -1 : screen.indexOf(next.after, seen)
      if (next === undefined || at === -1) return
      seen = at + next.after.length
      waiting.shift()
      child.stdin.write(next.keys)
    }
  })
  const [code] = (await once(child, "close")) as [number | null]
  return { code, screen }
}

/** Words as a shell takes them, each for itself. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")
}
