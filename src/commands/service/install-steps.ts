import { rmSync, chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

import { Fault } from "../../std/fault.ts"
import { target, runOrFail, statusOf, textOf, type System } from "./system.ts"
import { unitNames, type InstalledFile } from "./render-units.ts"

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

/** A file that isn't there, or has another text. */
type FileChange = InstalledFile & { readonly before: string | undefined }

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
function writeStep({ root }: System, { path, text, before }: FileChange): Step {
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

/** One thing that an installation or its end needs. It may be run again when a later one has failed. */
export type Step = {
  /** As a plan says it: "write /etc/…". */
  readonly title: string
  /** What is worth seeing before it is agreed to, a line each. */
  readonly details: readonly string[]
  run(): void
}

/** A plan for people. */
export function planLines(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ title, details }) => [
    `  ${title}`,
    ...details.map((line) => `      ${line}`),
  ])
}

/**
 * Runs the steps in their order.
 *
 * @throws {Fault} `install_failed` with why one failed, and the steps that are done by then.
 */
export function carryOut(steps: readonly Step[]): void {
  steps.forEach((step, index) => {
    try {
      step.run()
    } catch (error) {
      throw stoppedAt(step, steps.slice(0, index), error)
    }
  })
}

function stoppedAt({ title }: Step, done: readonly Step[], error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const soFar =
    done.length === 0
      ? "Nothing was done before it"
      : `Done: ${done.map((step) => step.title).join("; ")}`
  const message = `Couldn't ${title}: ${error.message} ${soFar}. Fix it and run this again: it goes on from there.`
  return new Fault("install_failed", message, { cause: error })
}

/**
 * A command of the system's. `install-service` runs these, and the same lines are in the Debian package's scripts:
 * there is no other list. What sysusers.d and tmpfiles.d can say is said there.
 */
export type SystemCommand = {
  readonly words: readonly [program: string, ...args: string[]]
  /** It asks systemd, so it is left out where none runs: in a chroot, in an image that is being built. */
  readonly needsSystemd: boolean
}

const config = "countersign.conf"
const reload = asking("daemon-reload")

/** Once the files are in place. Starts nothing, and may be run again at any time. */
export const setUp: readonly SystemCommand[] = [
  { words: ["systemd-sysusers", config], needsSystemd: false },
  { words: ["systemd-tmpfiles", "--create", config], needsSystemd: false },
  reload,
]

/** Before the files of these units go. */
export function takeDown(units: readonly string[]): readonly SystemCommand[] {
  // First the target, which stops all of them at once, so that no socket starts its service again meanwhile.
  const names = [
    ...units.filter((name) => name === target),
    ...units.filter((name) => name !== target),
  ]
  return [
    { words: ["systemctl", "--quiet", "--no-reload", "disable", ...names], needsSystemd: false },
    asking("stop", ...names),
    // A pattern: a unit that systemd has forgotten already isn't missed.
    asking("reset-failed", "countersign*"),
  ]
}

/** Once the files are gone. Users and directories stay: the files in these are theirs. */
export const forget: readonly SystemCommand[] = [reload]

function asking(...words: readonly string[]): SystemCommand {
  return { words: ["systemctl", ...words], needsSystemd: true }
}
