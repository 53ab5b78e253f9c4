import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import type { Ran, System } from "../../src/commands/service/system.ts"

export type FakeSystem = System & {
  /** Command lines that were run, in order. */
  readonly ran: string[]
  /** Puts a file in its tree. */
  put(path: string, text: string): void
  remove(): void
}

/**
 * A machine in a temporary directory, whose programs answer what `answers` says of their command line, or
 * else end well and say nothing; it has no user or group but those that `answers` knows.
 */
export function fakeSystem(answers: Readonly<Record<string, Partial<Ran>>> = {}): FakeSystem {
  const root = mkdtempSync(join(tmpdir(), "cs-system-"))
  const ran: string[] = []
  return {
    root,
    ran,
    run(program, args) {
      const line = [program, ...args].join(" ")
      ran.push(line.replaceAll(root, ""))
      const missing = program === "getent" ? { code: 2 } : {}
      return { code: 0, stdout: "", stderr: "", ...missing, ...answers[line] }
    },
    put(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }),
  }
}
