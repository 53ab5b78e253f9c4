import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { repositoryRoot } from "./markdown.ts"

/** Names the launcher that tests start in place of the checkout's. */
const variable = "COUNTERSIGN_TESTED"

/** What is published besides dist/, as far as a daemon or a command reads it. */
const parts = ["bin", "docs", "policies", "systemd", "package.json"]

/**
 * Makes what is published of these sources, with this checkout's dependencies, and has the tests start that: it takes
 * half the processor time that sources take to start. Returns what removes it.
 */
export function testPublished(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "cs-published-"))
  chmodSync(directory, 0o755) // some tests start it as somebody else
  for (const part of parts) {
    cpSync(join(repositoryRoot, part), join(directory, part), { recursive: true })
  }
  symlinkSync(join(repositoryRoot, "node_modules"), join(directory, "node_modules"))
  const bundle = join(repositoryRoot, "packaging/bundle.ts")
  execFileSync(process.execPath, [bundle, "--to", join(directory, "dist")], { stdio: "ignore" })
  process.env[variable] = join(directory, "bin/countersign.js")
  return () => rmSync(directory, { recursive: true, force: true })
}

/** The launcher that tests start: what was published for this run, else the checkout's, which runs the sources. */
export const bin: string = process.env[variable] ?? join(repositoryRoot, "bin/countersign.js")
