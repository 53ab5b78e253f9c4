import { realpathSync } from "node:fs"
import { resolve } from "node:path"

import { Option, type Command } from "commander"

import { packageRoot } from "../std/program-files.ts"
import { command, runs, withExamples, withJson } from "./command.ts"
import { print, type Printing } from "./print.ts"
import { confirmDeed } from "./prompts.ts"
import { assertServiceable, assertStartable } from "./service/assert-serviceable.ts"
import { planInstall } from "./service/install-steps.ts"
import { services, target, vaultDirectories } from "./service/layout.ts"
import type { CredentialKey } from "./service/make-system-installation.ts"
import type { Program } from "./service/render-units.ts"
import { serviceFiles, type ServiceFile } from "./service/service-files.ts"
import { carryOut, openSteps, planLines, type Step } from "./service/step.ts"
import { thisSystem } from "./service/system.ts"
import { uninstallSteps } from "./service/uninstall-steps.ts"

type InstallOptions = Printing & {
  readonly print?: boolean
  readonly yes?: boolean
  readonly uninstall?: boolean
  readonly withKey: CredentialKey
  readonly copySecretTo?: string
}

/** `countersign install-service`: two sandboxed services of systemd in place of `countersign serve`. */
export function installService(): Command {
  const made = command("install-service", "run it as two sandboxed services of systemd, or no more")
    .option("--print", "show what would be done and every file, and do nothing")
    .option("--yes", "don't ask")
    .addOption(
      new Option(
        "--uninstall",
        "remove the services and their users; keys and ledger stay",
      ).conflicts(["copySecretTo"]),
    )
    .addOption(
      new Option("--with-key <kind>", "what encrypts the secret that opens the keystore")
        .choices(["auto", "host", "tpm2", "host+tpm2"])
        .default("auto"),
    )
    .option(
      "--copy-secret-to <file>",
      "also write that secret to a new file, to be kept offline: another machine needs it",
    )
  withExamples(
    made,
    "countersign install-service --print",
    "countersign install-service --copy-secret-to /run/countersign-key",
    "countersign install-service --uninstall",
  )
  return runs<InstallOptions>(withJson(made), (options) =>
    options.uninstall === true ? uninstall(options) : install(options),
  )
}

async function install(options: InstallOptions): Promise<void> {
  const program = thisProgram()
  const files = serviceFiles(program)
  const { copySecretTo, withKey } = options
  const copyTo = copySecretTo === undefined ? undefined : resolve(copySecretTo)
  if (options.print !== true) {
    assertServiceable(thisSystem)
    assertStartable(program)
  }
  const { steps, isNew, changedUnits } = planInstall(thisSystem, files, { withKey, copyTo })
  if (options.print === true) {
    printPlan(steps, files, options)
    return
  }
  await agreeAndDo("Install the services?", steps, options)
  const next = isNew ? nextCommands : []
  const answer = { done: titles(openSteps(steps)), restart: changedUnits, next }
  print(answer, options, ({ done, restart }) => [
    done.length === 0 ? nothingToDo : "Done.",
    ...(restart.length === 0 ? [] : [restartLine(restart)]),
    ...(copyTo === undefined ? [] : copyLines(copyTo)),
    ...(next.length === 0 ? [] : ["Next:", ...next.map((line) => `  ${line}`)]),
  ])
}

async function uninstall(options: InstallOptions): Promise<void> {
  const files = serviceFiles(thisProgram())
  if (options.print !== true) assertServiceable(thisSystem)
  const steps = uninstallSteps(thisSystem, files)
  if (options.print === true) {
    printPlan(steps, [], options)
    return
  }
  await agreeAndDo("Remove the services?", steps, options)
  print({ done: titles(openSteps(steps)), left: vaultDirectories }, options, () => [
    openSteps(steps).length === 0 ? nothingToDo : "The services are gone.",
    `What is in ${vaultDirectories.join(", ")} stays: configuration, keys, ledger, marks. It belongs to root,`,
    "and nobody else can read it. countersign install-service finds it again.",
  ])
}

const nothingToDo = "Everything is as it should be; nothing was changed."

/** Where this program runs from: the units start the same. */
function thisProgram(): Program {
  const node = realpathSync(process.execPath)
  return { node, packageRoot }
}

/** Shows the plan where a question about it follows, and runs it once it is agreed to. */
async function agreeAndDo(
  question: string,
  steps: readonly Step[],
  options: InstallOptions,
): Promise<void> {
  if (openSteps(steps).length === 0) return
  const plan = `${planLines(steps).join("\n")}\n`
  if (options.json === true) process.stderr.write(plan)
  else process.stdout.write(plan)
  await confirmDeed(question, options)
  await carryOut(steps)
}

function printPlan(
  steps: readonly Step[],
  files: readonly ServiceFile[],
  options: InstallOptions,
): void {
  const shown = files.map(({ path, text }) => ({ path, text }))
  const plan = steps.map(({ title, isDone, details }) => ({ title, done: isDone, details }))
  print({ steps: plan, files: shown }, options, () => [
    ...planLines(steps),
    ...files.flatMap(({ path, text }) => ["", `# ${path}`, text.trimEnd()]),
  ])
}

function titles(steps: readonly Step[]): readonly string[] {
  return steps.map(({ title }) => title)
}

/** What runs goes on as it was started until it is started anew. With the target, the sockets are closed for a moment. */
function restartLine(units: readonly string[]): string {
  const isSocket = units.some((name) => name.endsWith(".socket"))
  const restarted = isSocket ? target : services
  return `Changed, and in force after systemctl restart ${restarted}: ${units.join(", ")}.`
}

function copyLines(path: string): readonly string[] {
  return [
    `${path} has the secret that opens the keystore. Keep it offline, apart from all backups, and remove it here:`,
    "when this machine is gone, the backup of the keystore opens with it alone (docs/headless.md).",
  ]
}

const nextCommands: readonly string[] = [
  `systemctl enable --now ${target}`,
  "countersign keys generate --name main --role wallet",
  "countersign keys generate --name mm --role agent --wallet main",
  "countersign clients add bot --keys mm",
  "write a rule into /etc/countersign/policies, then countersign policy reload",
]
