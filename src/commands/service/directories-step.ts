import { Fault } from "../../std/fault.ts"
import { vaultDirectories, vaultUser } from "./layout.ts"
import type { Step } from "./step.ts"
import { identityOf, runOrFail, statusOf, type System } from "./system.ts"

/**
 * Makes the vault's directories and gives it those that an earlier installation left: these belong to
 * root, or to a uid whose name is gone.
 *
 * @throws {Fault} `install_failed` when one belongs to somebody else, or isn't a directory.
 */
export function directoriesStep(system: System): Step {
  const uid = identityOf(system, vaultUser)?.uid
  const standing = vaultDirectories.flatMap((path) => {
    const status = statusOf(system, path)
    if (status === undefined || status === "hidden") return []
    if (!status.isDirectory()) throw notADirectory(path, status.isSymbolicLink())
    return [{ path, owner: status.uid, mode: status.mode & 0o777 }]
  })
  const left = standing.filter(({ owner }) => owner !== uid)
  for (const { path, owner } of left) assertNobodys(system, path, owner)
  const isPrivate = standing.every(({ mode }) => mode === 0o700)
  return {
    title: `make ${vaultDirectories.join(", ")}, for ${vaultUser} alone`,
    isDone: standing.length === vaultDirectories.length && left.length === 0 && isPrivate,
    details: left.map(({ path }) => `${path} is there: it and what is in it become ${vaultUser}'s`),
    run() {
      // Only what was the old owner's, and no link's target: nothing else may come along.
      for (const { path, owner } of left) {
        const to = `${vaultUser}:${vaultUser}`
        runOrFail(system, ["chown", "-hR", `--from=${owner}`, to, `${system.root}${path}`])
      }
      runOrFail(system, ["systemd-tmpfiles", "--create", "countersign.conf"])
    },
  }
}

function assertNobodys(system: System, path: string, owner: number): void {
  if (owner === 0) return
  const { code, stdout } = system.run("getent", ["passwd", `${owner}`])
  if (code !== 0) return
  const name = stdout.split(":")[0] ?? ""
  throw new Fault(
    "install_failed",
    `${path} belongs to ${name}; move it away, or give it to root (chown -R root ${path}) if it is an installation to go on with.`,
  )
}

function notADirectory(path: string, isLink: boolean): Fault {
  const why = isLink
    ? "is a link, as a unit with DynamicUser= leaves one; move what it leads to into its place"
    : "isn't a directory; move it away"
  return new Fault("install_failed", `${path} ${why}, and run this again.`)
}
