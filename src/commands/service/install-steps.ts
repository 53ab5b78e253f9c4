import { rmSync } from "node:fs"

import { writeStep, type FileChange } from "./file-changes.ts"
import { unitNames, type InstalledFile } from "./service-files.ts"
import type { Step } from "./step.ts"
import { forget, setUp, takeDown, type SystemCommand } from "./system-commands.ts"
import { runOrFail, statusOf, type System } from "./system.ts"

/** Writes what differs, then has the system take it in. */
export function installSteps(system: System, changes: readonly FileChange[]): readonly Step[] {
  return [
    ...changes.map((change) => writeStep(system, change)),
    ...setUp.map((command) => commandStep(system, command)),
  ]
}

/** Takes away those of the files that are there. What the services wrote stays, with the users whose it is. */
export function uninstallSteps(
  system: System,
  standing: readonly InstalledFile[],
): readonly Step[] {
  const units = unitNames(standing)
  const before = units.length === 0 ? [] : takeDown(units)
  return [
    ...before.map((command) => commandStep(system, command)),
    ...standing.map(({ path }) => removeStep(system, path)),
    ...forget.map((command) => commandStep(system, command)),
  ]
}

function commandStep(system: System, { words }: SystemCommand): Step {
  return {
    title: `run ${words.join(" ")}`,
    details: [],
    run: () => void runOrFail(system, words),
  }
}

function removeStep(system: System, path: string): Step {
  const dropIns = `${path}.d`
  return {
    title: `remove ${path}`,
    details: statusOf(system, dropIns) === undefined ? [] : [`${dropIns} is yours, and stays`],
    run: () => rmSync(`${system.root}${path}`),
  }
}
