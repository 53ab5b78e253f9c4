import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

import { Fault } from "../../std/fault.ts"
import type { InstalledFile } from "./service-files.ts"
import type { Step } from "./step.ts"
import { statusOf, textOf, type System } from "./system.ts"

/** A file that isn't there, or has another text. */
export type FileChange = InstalledFile & { readonly before: string | undefined }

/**
 * Those of the files that have to be written.
 *
 * @throws {Fault} `install_failed` when something other than a file is in a place, as of a masked unit.
 */
export function changesOf(system: System, files: readonly InstalledFile[]): readonly FileChange[] {
  for (const file of files) assertFileOrNothing(system, file)
  return files
    .map((file) => ({ ...file, before: textOf(system, file.path) }))
    .filter(({ text, before }) => text !== before)
}

/** Writes one, and shows of what is there already the lines that differ. */
export function writeStep({ root }: System, { path, text, before }: FileChange): Step {
  return {
    title: before === undefined ? `write ${path}` : `change ${path}`,
    details: before === undefined ? [] : differingLines(before, text),
    run() {
      const place = `${root}${path}`
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, text)
      chmodSync(place, 0o644) // whatever this shell's umask is
    },
  }
}

function differingLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split("\n"), after.split("\n")]
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ]
}

function assertFileOrNothing(system: System, { path, name }: InstalledFile): void {
  const status = statusOf(system, path)
  if (status === undefined || status === "hidden" || status.isFile()) return
  throw new Fault(
    "install_failed",
    `${path} isn't a file; move it away (a mask goes by systemctl unmask ${name}), and run this again.`,
  )
}
