// Processes whose wall clock is moved while they run, by libfaketime. Their monotonic clock goes on.

import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { repositoryRoot } from "./markdown.ts"
import { lacking, needs } from "./needs.ts"

// Debian's path; the program `faketime` itself sets the clock once, and this one is moved.
const library = `/usr/lib/${process.arch === "arm64" ? "aarch64" : "x86_64"}-linux-gnu/faketime/libfaketimeMT.so.1`

export const needsFaketime = {
  ...needs("faketime", "apt-get install faketime"),
  ...(existsSync(library) ? {} : lacking(`needs ${library}`)),
}

/** Moves the clock by `offset`, as `+2d` or `-1h`. */
export function movedClock(offset: string): Readonly<Record<string, string>> {
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" }
}

/** Moves the clock by what `file` says at the time. */
export function clockOf(file: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  }
}

/**
 * Writes a program into `directory` that runs `countersign` and gives `environment` to what that starts: `serve`
 * passes nothing on but what gate and vault read.
 */
export function launcherWith(
  environment: Readonly<Record<string, string>>,
  directory: string,
): string {
  const program = join(directory, "launcher.mjs")
  writeFileSync(
    program,
    `import childProcess from "node:child_process"
import { syncBuiltinESMExports } from "node:module"

const { spawn } = childProcess
childProcess.spawn = (program, args, options) =>
  spawn(program, args, { ...options, env: { ...options.env, ...${JSON.stringify(environment)} } })
syncBuiltinESMExports()
await import(${JSON.stringify(pathToFileURL(join(repositoryRoot, "bin/countersign.js")).href)})
`,
  )
  return program
}
