import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

import { Fault } from "../../std/fault.ts"
import type { ServiceFile } from "./service-files.ts"
import type { Step } from "./step.ts"
import { statusOf, textOf, type System } from "./system.ts"

/**
 * Writes one file of the service, unless it is there, or an identical one of a distribution's package.
 *
 * @throws {Fault} `install_failed` when something other than a file is in its place, as of a masked unit.
 */
export function fileStep(system: System, file: ServiceFile): Step {
  const { path, text } = file
  assertFileOrNothing(system, file)
  const standing = [path, ...file.distributionPaths]
    .map((each) => ({ path: each, text: textOf(system, each) }))
    .find((each) => each.text !== undefined)
  const isDone = standing?.text === text
  return {
    title: isDone ? `write ${path}` : titleOf(file, standing?.path),
    isDone,
    details: standing?.text === undefined ? [] : changedLines(standing.text, text),
    run() {
      const place = `${system.root}${path}`
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, text)
      chmodSync(place, 0o644) // whatever this shell's umask is
    },
  }
}

function titleOf({ path }: ServiceFile, standing: string | undefined): string {
  if (standing === path) return `change ${path}`
  return standing === undefined ? `write ${path}` : `write ${path}, in place of ${standing}`
}

/** Lines that one text has and the other hasn't. */
function changedLines(before: string, after: string): readonly string[] {
  const [old, now] = [before.split("\n"), after.split("\n")]
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ]
}

function assertFileOrNothing(system: System, { path, name, kind }: ServiceFile): void {
  const status = statusOf(system, path)
  if (status === undefined || status === "hidden" || status.isFile()) return
  const mend = kind === "unit" ? `systemctl unmask ${name}, or move it away` : "move it away"
  throw new Fault("install_failed", `${path} isn't a file; ${mend}, and run this again.`)
}
