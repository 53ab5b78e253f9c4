import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { sandboxPanic } from "../../src/sandbox/profile.ts"

/** Puts `lines` in venue.yaml where `init --venue sandbox` wrote what a panic sends. */
export function replacePanic(dir: string, lines: string): void {
  const file = join(dir, "venue.yaml")
  const text = readFileSync(file, "utf8")
  if (!text.includes(sandboxPanic))
    throw new Error("venue.yaml has no panic lines of the sandbox's")
  writeFileSync(
    file,
    text.replace(sandboxPanic, () => lines),
  )
}
