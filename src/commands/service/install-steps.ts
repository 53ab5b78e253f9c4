import { Fault } from "../../std/fault.ts"
import { pathsOf } from "../../vault/installation.ts"
import { directoriesStep } from "./directories-step.ts"
import { fileStep } from "./file-step.ts"
import {
  botsGroup,
  credentialFile,
  credentialName,
  gateUser,
  systemInstallation,
  vaultUser,
} from "./layout.ts"
import { makeSystemInstallation, type SecretWishes } from "./make-system-installation.ts"
import type { ServiceFile } from "./service-files.ts"
import type { Step } from "./step.ts"
import { identityOf, runOrFail, statusOf, type System } from "./system.ts"

export type InstallPlan = {
  readonly steps: readonly Step[]
  /** Whether an installation is made, so that keys and clients are to follow. */
  readonly isNew: boolean
  /** Units that systemd may have started with another text. */
  readonly changedUnits: readonly string[]
}

/**
 * Everything that makes this machine run Countersign as a service, in order, with what is done already.
 *
 * @throws {Fault} `install_failed` when something is in the way that only a person can decide about.
 */
export function planInstall(
  system: System,
  files: readonly ServiceFile[],
  wishes: SecretWishes,
): InstallPlan {
  const units = files.filter(({ kind }) => kind === "unit")
  const others = files.filter(({ kind }) => kind !== "unit")
  const unitSteps = units.map((file) => ({ file, step: fileStep(system, file) }))
  const open = unitSteps.filter(({ step }) => !step.isDone)
  const installation = installationStep(system, wishes)
  const steps = [
    ...others.map((file) => fileStep(system, file)),
    usersStep(system),
    directoriesStep(system),
    ...unitSteps.map(({ step }) => step),
    reloadStep(system, { isDone: open.length === 0 && !units.some(isStale(system)) }),
    installation,
  ]
  const changed = open.filter(({ file }) => statusOf(system, file.path) !== undefined)
  return {
    steps,
    isNew: !installation.isDone,
    changedUnits: changed.map(({ file }) => file.name),
  }
}

function usersStep(system: System): Step {
  const hasUsers = [vaultUser, gateUser].every((name) => identityOf(system, name) !== undefined)
  const hasGroup = system.run("getent", ["group", botsGroup]).code === 0
  return {
    title: `make the users ${vaultUser} and ${gateUser} and the group ${botsGroup}`,
    isDone: hasUsers && hasGroup,
    details: [],
    run: () => void runOrFail(system, ["systemd-sysusers", "countersign.conf"]),
  }
}

/** Has systemd read the units. */
export function reloadStep(system: System, { isDone }: Pick<Step, "isDone">): Step {
  return {
    title: "have systemd read its units anew",
    isDone,
    details: [],
    run: () => void runOrFail(system, ["systemctl", "daemon-reload"]),
  }
}

/** Whether systemd has an older text of a unit in mind, as after a run that ended half way. */
function isStale(system: System): (unit: ServiceFile) => boolean {
  return ({ name }) =>
    system.run("systemctl", ["show", "--property=NeedDaemonReload", name]).stdout.trim() ===
    "NeedDaemonReload=yes"
}

function installationStep(system: System, wishes: SecretWishes): Step {
  const { configFile, keystoreDir, ledgerFile } = pathsOf(systemInstallation)
  const { configDir, stateDir } = systemInstallation
  const isThere = statusOf(system, configFile) !== undefined
  const left = [keystoreDir, ledgerFile, credentialFile].find(
    (path) => statusOf(system, path) !== undefined,
  )
  if (!isThere && left !== undefined) {
    throw new Fault(
      "install_failed",
      `${left} is there and ${configFile} isn't; put ${configDir} back from its backup, or move ${stateDir} and ${credentialFile} away, and keep both: one opens the other.`,
    )
  }
  if (isThere && wishes.copyTo !== undefined) {
    throw new Fault(
      "usage",
      `There is an installation in ${configDir} already; systemd-creds decrypt --name=${credentialName} ${credentialFile} - shows its secret, for a copy.`,
    )
  }
  assertNewFile(system, wishes.copyTo)
  const copy = wishes.copyTo === undefined ? "" : `, with a copy in ${wishes.copyTo}`
  return {
    title: `make an installation in ${configDir}, in which nothing is allowed yet, and a keystore in ${stateDir}`,
    isDone: isThere,
    details: [`under a new random secret in ${credentialFile}, encrypted for this machine${copy}`],
    run: () => makeSystemInstallation(system, wishes),
  }
}

function assertNewFile(system: System, path: string | undefined): void {
  if (path === undefined || statusOf(system, path) === undefined) return
  throw new Fault("usage", `${path} is there already; name a new file for the copy.`)
}
