import assert from "node:assert/strict"
import { copyFileSync, cpSync, mkdtempSync } from "node:fs"
import { join } from "node:path"

import { countersign, countersignProcess, type TemporaryInstallation } from "./countersign.ts"
import { fingerprint } from "./fingerprint.ts"
import { processesNaming } from "./process-tree.ts"

/** An installation's directory and the file of its passphrase, for one test to spoil. */
export type Place = { readonly dir: string; readonly passphraseFile: string }

/** Copies an installation's files. `dir` is one of its own, if not the first. */
export function copyOf(
  { home, dir: first, passphraseFile }: TemporaryInstallation,
  dir = first,
): Place {
  const place = mkdtempSync(join(home, "case-"))
  const copy = { dir: join(place, "d"), passphraseFile: join(place, "passphrase") }
  cpSync(dir, copy.dir, { recursive: true })
  copyFileSync(passphraseFile, copy.passphraseFile)
  return copy
}

export type Refused = {
  readonly says: RegExp
  readonly code?: number
  /** What is run; `serve` on a free port if left out. */
  readonly command?: readonly string[]
  /** What runs the command; a process of its own if left out, as `serve` starts others. */
  readonly by?: typeof countersign
}

/**
 * Asserts that a command refuses: with one line that matches `says` whole, nothing left running
 * and not a byte or a mode changed in its directory.
 */
export async function assertRefused(
  { dir, passphraseFile }: Place,
  { says, code = 1, command = ["serve", "--port", "0"], by = countersignProcess }: Refused,
): Promise<void> {
  const filesBefore = fingerprint(dir)
  const runningBefore = processesNaming(dir).length
  const args = [...command, "--dir", dir, "--passphrase-file", passphraseFile]
  const ended = await by(args)
  assert.match(ended.stderr, /^countersign: [^\n]+\n$/)
  assert.match(ended.stderr, says)
  assert.equal(ended.stdout, "")
  assert.equal(ended.code, code)
  assert.equal(processesNaming(dir).length, runningBefore)
  assert.deepEqual(fingerprint(dir), filesBefore)
}
