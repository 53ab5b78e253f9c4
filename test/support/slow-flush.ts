// Processes whose disk is made to stall while they run.

import { execFileSync } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { needs } from "./needs.ts"

export const needsCompiler = needs("gcc", "apt-get install build-essential")

export type SlowDisk = {
  /** What a process must be given, whose flushes are held up. */
  readonly environment: Readonly<Record<string, string>>
  /** From now on each flush takes so much longer. */
  hold(ms: number): void
  /** From now on none does. */
  free(): void
}

/** Compiles what holds flushes up into `directory`. */
export function slowDisk(directory: string): SlowDisk {
  const source = fileURLToPath(new URL("slow-flush.c", import.meta.url))
  const [library, file] = [join(directory, "slow-flush.so"), join(directory, "flush-hold")]
  execFileSync("gcc", ["-shared", "-fPIC", "-O2", "-o", library, source])
  return {
    environment: { LD_PRELOAD: library, FLUSH_HOLD: file },
    hold: (ms) => writeFileSync(file, String(ms)),
    free: () => rmSync(file, { force: true }),
  }
}
