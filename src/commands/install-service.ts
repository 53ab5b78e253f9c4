import { realpathSync } from "node:fs"

import { packageRoot } from "../std/program-files.ts"
import { pathsOf } from "../vault/config/installation.ts"
import type { Command } from "./cli/command.ts"
import {
  command,
  confirmDeed,
  print,
  runs,
  withExamples,
  withJson,
  type Printing,
} from "./installation/command-by-hand.ts"
import {
  assertNotPackaged,
  assertServiceable,
  assertStartable,
} from "./service/assert-serviceable.ts"
import { changesOf } from "./service/file-changes.ts"
import { installSteps, uninstallSteps } from "./service/install-steps.ts"
import { services, systemInstallation, target, vaultDirectories } from "./service/layout.ts"
import type { Program } from "./service/render-units.ts"
import { installedFiles, unitNames, type InstalledFile } from "./service/service-files.ts"
import { carryOut, planLines, type Step } from "./service/step.ts"
import { statusOf, thisSystem } from "./service/system.ts"

type InstallOptions = Printing & {
  readonly print?: boolean
  readonly yes?: boolean
  readonly uninstall?: boolean
}

/** `countersign install-service`: two sandboxed services of systemd in place of `countersign serve`. */
export function installService(): Command {
  const made = command("install-service", "run it as two sandboxed services of systemd, or no more")
    .option("--print", "show what would be done and every file, and do nothing")
    .option("--yes", "don't ask")
    .option("--uninstall", "remove the services; users, configuration, keys and ledger stay")
  withExamples(
    made,
    "countersign install-service --print",
    "countersign install-service --yes",
    "countersign install-service --uninstall",
  )
  return runs<InstallOptions>(withJson(made), async (options) => {
    assertNotPackaged(thisSystem)
    const program = { node: realpathSync(process.execPath), packageRoot }
    await (options.uninstall === true ? uninstall : install)(program, options)
  })
}

async function install(program: Program, options: InstallOptions): Promise<void> {
  if (options.print !== true) {
    assertServiceable(thisSystem)
    assertStartable(program)
  }
  const files = installedFiles(program)
  const changes = changesOf(thisSystem, files)
  const steps = installSteps(thisSystem, changes)
  if (options.print === true) {
    printPlan(steps, files, options)
    return
  }
  if (changes.length > 0) await agree("Install the services?", steps, options)
  carryOut(steps)
  const answer = {
    changed: changes.map(({ path }) => path),
    restart: unitNames(changes.filter(({ before }) => before !== undefined)),
    next: isSetUp() ? [] : nextCommands,
  }
  print(answer, options, ({ changed, restart, next }) => [
    changed.length === 0 ? "Everything is as it should be; no file was changed." : "Done.",
    ...(restart.length === 0 ? [] : [restartLine(restart)]),
    ...(next.length === 0 ? [] : ["Next:", ...next.map((line) => `  ${line}`)]),
  ])
}

async function uninstall(program: Program, options: InstallOptions): Promise<void> {
  if (options.print !== true) assertServiceable(thisSystem)
  const standing = installedFiles(program).filter(
    ({ path }) => statusOf(thisSystem, path) !== undefined,
  )
  const steps = uninstallSteps(thisSystem, standing)
  if (options.print === true) {
    printPlan(steps, [], options)
    return
  }
  if (standing.length > 0) await agree("Remove the services?", steps, options)
  carryOut(steps)
  print({ removed: standing.map(({ path }) => path), left: vaultDirectories }, options, () => [
    standing.length === 0
      ? "No service is installed; no file was removed."
      : "The services are gone.",
    `What is in ${vaultDirectories.join(", ")} stays: configuration, keys, ledger, marks; and so do the users that`,
    "own it, since another user could get their ids. countersign install-service goes on with it.",
  ])
}

function isSetUp(): boolean {
  return statusOf(thisSystem, pathsOf(systemInstallation).configFile) !== undefined
}

/** Shows what is going to happen, and asks. */
async function agree(
  question: string,
  steps: readonly Step[],
  options: InstallOptions,
): Promise<void> {
  const plan = `${planLines(steps).join("\n")}\n`
  if (options.json === true) process.stderr.write(plan)
  else process.stdout.write(plan)
  await confirmDeed(question, options)
}

function printPlan(
  steps: readonly Step[],
  files: readonly InstalledFile[],
  options: InstallOptions,
): void {
  const shown = files.map(({ path, text }) => ({ path, text }))
  const plan = steps.map(({ title, details }) => ({ title, details }))
  print({ steps: plan, files: shown }, options, () => [
    ...planLines(steps),
    ...files.flatMap(({ path, text }) => ["", `# ${path}`, text.trimEnd()]),
  ])
}

/** What runs goes on as it was started until it is started anew. With the target, the sockets are closed for a moment. */
function restartLine(units: readonly string[]): string {
  const isSocket = units.some((name) => name.endsWith(".socket"))
  const restarted = isSocket ? target : services
  return `Changed, and in force after systemctl restart ${restarted}: ${units.join(", ")}.`
}

const nextCommands: readonly string[] = [
  "countersign init-service",
  `systemctl enable --now ${target}`,
]
