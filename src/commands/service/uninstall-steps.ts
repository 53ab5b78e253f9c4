import { rmSync } from "node:fs"

import { Fault } from "../../std/fault.ts"
import { pathsOf } from "../../vault/installation.ts"
import { reloadStep } from "./install-steps.ts"
import {
  botsGroup,
  gateUser,
  runtimeDir,
  systemInstallation,
  target,
  vaultDirectories,
  vaultUser,
} from "./layout.ts"
import { unitDir, type ServiceFile } from "./service-files.ts"
import type { Step } from "./step.ts"
import { identityOf, runOrFail, statusOf, type System } from "./system.ts"

/**
 * Everything that takes the service from this machine, in order. Configuration, keys and ledger stay; they
 * become root's, since the next user that is made could get the uid of one that is gone.
 *
 * @throws {Fault} `install_failed` when the units are of a distribution's package.
 */
export function uninstallSteps(system: System, files: readonly ServiceFile[]): readonly Step[] {
  assertNotPackaged(system, files)
  const standing = files.filter(({ path }) => statusOf(system, path) !== undefined)
  const units = standing.filter(({ kind }) => kind === "unit")
  return [
    stopStep(system, units),
    ...standing.map((file) => removeStep(system, file.path)),
    reloadStep(system, { isDone: units.length === 0 }),
    socketsStep(system),
    ...vaultDirectories.map((path) => giveToRootStep(system, path)),
    ...[vaultUser, gateUser].map((name) => dropStep(system, { kind: "user", name })),
    ...[botsGroup, vaultUser, gateUser].map((name) => dropStep(system, { kind: "group", name })),
  ]
}

function assertNotPackaged(system: System, files: readonly ServiceFile[]): void {
  const packaged = files
    .flatMap(({ distributionPaths }) => distributionPaths)
    .find((path) => statusOf(system, path) !== undefined)
  if (packaged === undefined) return
  throw new Fault(
    "install_failed",
    `${packaged} is of a package of the distribution; remove that (apt remove countersign).`,
  )
}

function stopStep(system: System, units: readonly ServiceFile[]): Step {
  const names = units.map(({ name }) => name)
  return {
    title: `stop and disable ${target} and its units`,
    isDone: names.length === 0,
    details: [],
    run() {
      // Stopping the target is one transaction, and waits for itself alone; what it leaves is waited for by name.
      runOrFail(system, ["systemctl", "stop", target])
      runOrFail(system, ["systemctl", "stop", ...names])
      runOrFail(system, ["systemctl", "disable", ...names])
      system.run("systemctl", ["reset-failed", ...names]) // fails for those that never ran
    },
  }
}

function removeStep(system: System, path: string): Step {
  return {
    title: `remove ${path}`,
    isDone: false,
    details:
      path.startsWith(unitDir) && statusOf(system, `${path}.d`) !== undefined
        ? [`${path}.d is yours, and stays`]
        : [],
    run: () => rmSync(`${system.root}${path}`),
  }
}

function socketsStep(system: System): Step {
  const { adminSocket, botSocket } = pathsOf(systemInstallation)
  const paths = [runtimeDir, adminSocket, botSocket]
  return {
    title: "remove the sockets",
    isDone: paths.every((path) => statusOf(system, path) === undefined),
    details: [],
    run() {
      for (const path of paths) rmSync(`${system.root}${path}`, { recursive: true, force: true })
    },
  }
}

function giveToRootStep(system: System, path: string): Step {
  const status = statusOf(system, path)
  const owner = status === undefined || status === "hidden" ? 0 : status.uid
  return {
    title: `give ${path} to root, and leave it`,
    isDone: owner === 0,
    details: [],
    run() {
      const place = `${system.root}${path}`
      runOrFail(system, ["chown", "-hR", `--from=${owner}`, "root:root", place])
    },
  }
}

type Account = { readonly kind: "user" | "group"; readonly name: string }

function dropStep(system: System, { kind, name }: Account): Step {
  const exists = (): boolean =>
    kind === "user"
      ? identityOf(system, name) !== undefined
      : system.run("getent", ["group", name]).code === 0
  return {
    title: `remove the ${kind} ${name}`,
    isDone: !exists(),
    details: [],
    run() {
      // With some settings of login.defs(5), a user's group has gone with it.
      if (exists()) runOrFail(system, [kind === "user" ? "userdel" : "groupdel", name])
    },
  }
}
