import { spawn } from "node:child_process"
import { once } from "node:events"
import { stripVTControlCharacters } from "node:util"

import { needs } from "./needs.ts"
import { typist, type Typed } from "./typist.ts"

/** Options for a test that runs something on a terminal. */
export const needsTerminal = needs("script", "apt install bsdutils")

export type OnTerminal = {
  readonly code: number | null
  /** Everything that was shown, without what moves the cursor or colours. */
  readonly screen: string
}

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
  const shown = typist(typed, (keys) => void child.stdin.write(keys))
  child.stdout.on("data", (chunk: Buffer) => {
    const piece = stripVTControlCharacters(chunk.toString())
    screen += piece
    shown(piece)
  })
  const [code] = (await once(child, "close")) as [number | null]
  return { code, screen }
}

/** Words as a shell takes them, each for itself. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")
}
