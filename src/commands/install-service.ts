import { realpathSync } from "node:fs"

import { packageRoot } from "../std/program-files.ts"
import { pathsOf } from "../vault/config/installation.ts"
import { command, flag } from "./cli/command.ts"
import { confirmDeed } from "./cli/terminal.ts"
import { print, type Printing } from "./cli/print.ts"
import { jsonOption, yesOption } from "./installation/installation-command.ts"
import {
  assertNotPackaged,
  assertServiceable,
  assertStartable,
} from "./service/assert-serviceable.ts"
import {
  changesOf,
  installSteps,
  uninstallSteps,
  carryOut,
  planLines,
  type Step,
} from "./service/install-steps.ts"
import {
  services,
  systemInstallation,
  target,
  vaultDirectories,
  statusOf,
  thisSystem,
} from "./service/system.ts"
import {
  installedFiles,
  unitNames,
  type Program,
  type InstalledFile,
} from "./service/render-units.ts"

/** What is asked for, and where it is told. */
type Ask = Printing & {
  /** Show what would be done, and do nothing. */
  readonly isShown: boolean
  /** Don't ask. */
  readonly yes: boolean
}

/** `countersign install-service`: two sandboxed services of systemd in place of `countersign serve`. */
export const installService = command({
  description: "run it as two sandboxed services of systemd, or remove them",
  examples: [
    "countersign install-service --print",
    "countersign install-service --yes",
    "countersign install-service --uninstall",
  ],
  options: {
    isShown: flag("--print", "show what would be done and every file, and do nothing"),
    ...yesOption,
    isEnd: flag("--uninstall", "remove the services; users, configuration, keys and ledger stay"),
    ...jsonOption,
  },
  run: async ({ isEnd, ...options }, terminal) => {
    assertNotPackaged(thisSystem)
    const program = { node: realpathSync(process.execPath), packageRoot }
    await (isEnd ? uninstall : install)(program, { ...options, terminal })
    return 0
  },
})

async function install(program: Program, ask: Ask): Promise<void> {
  if (!ask.isShown) {
    assertServiceable(thisSystem)
    assertStartable(program)
  }
  const files = installedFiles(program)
  const changes = changesOf(thisSystem, files)
  const steps = installSteps(thisSystem, changes)
  if (ask.isShown) {
    printPlan(steps, files, ask)
    return
  }
  if (changes.length > 0) await agree("Install the services?", steps, ask)
  carryOut(steps)
  const isSetUp = statusOf(thisSystem, pathsOf(systemInstallation).configFile) !== undefined
  const answer = {
    changed: changes.map(({ path }) => path),
    restart: unitNames(changes.filter(({ before }) => before !== undefined)),
    next: isSetUp ? [] : nextCommands,
  }
  print(answer, ask, ({ changed, restart, next }) => [
    changed.length === 0 ? "Everything is as it should be; no file was changed." : "Done.",
    ...(restart.length === 0 ? [] : [restartLine(restart)]),
    ...(next.length === 0 ? [] : ["Next:", ...next.map((line) => `  ${line}`)]),
  ])
}

async function uninstall(program: Program, ask: Ask): Promise<void> {
  if (!ask.isShown) assertServiceable(thisSystem)
  const standing = installedFiles(program).filter(
    ({ path }) => statusOf(thisSystem, path) !== undefined,
  )
  const steps = uninstallSteps(thisSystem, standing)
  if (ask.isShown) {
    printPlan(steps, [], ask)
    return
  }
  if (standing.length > 0) await agree("Remove the services?", steps, ask)
  carryOut(steps)
  print({ removed: standing.map(({ path }) => path), left: vaultDirectories }, ask, () => [
    standing.length === 0
      ? "No service is installed; no file was removed."
      : "The services are gone.",
    `What is in ${vaultDirectories.join(", ")} stays: configuration, keys, ledger, marks. The users that own it stay too,`,
    "so that no new user gets their ids. countersign install-service uses all of it again.",
  ])
}

/** Shows what is going to happen, and asks. */
async function agree(
  question: string,
  steps: readonly Step[],
  { terminal, json, yes }: Ask,
): Promise<void> {
  const plan = `${planLines(steps).join("\n")}\n`
  const out = json ? terminal.stderr : terminal.stdout
  out.write(plan)
  if (!yes) await confirmDeed(terminal, question)
}

function printPlan(steps: readonly Step[], files: readonly InstalledFile[], ask: Ask): void {
  const shown = files.map(({ path, text }) => ({ path, text }))
  const plan = steps.map(({ title, details }) => ({ title, details }))
  print({ steps: plan, files: shown }, ask, () => [
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
  // systemctl comes back with 0 though a unit of the target has failed.
  `systemctl enable --now ${target}`,
  "countersign status",
]
