import { statSync } from "node:fs"
import { dirname, join } from "node:path"

import { Fault } from "../../std/fault.ts"
import type { Program } from "./render-units.ts"
import { runOrFail, statusOf, type System } from "./system.ts"

/** The first that has all that the units use: Debian 12's. */
const oldestSystemd = 252

/** What the units hide from the services: ProtectHome= and PrivateTmp=, systemd.exec(5). */
const hiddenDirectories = ["/home", "/root", "/run/user", "/tmp", "/var/tmp"]

/** Others would have another meaning in a unit file: a space, `%`, `$`, quotes. */
const plainPath = /^\/[\w@+.,/-]*$/

/**
 * Throws unless this is root on a machine that runs a systemd of today.
 *
 * @throws {Fault} `usage`, `install_failed`
 */
export function assertServiceable(system: System, uid = process.getuid?.()): void {
  if (uid !== 0) {
    throw new Fault(
      "usage",
      "This changes the system, so run it as root; --print shows as any user what it would do.",
    )
  }
  // sd_booted(3)
  if (statusOf(system, "/run/systemd/system") === undefined) {
    throw new Fault(
      "install_failed",
      "This machine doesn't run systemd; have its supervisor run countersign serve instead.",
    )
  }
  const version = Number(/^systemd (\d+)/.exec(runOrFail(system, ["systemctl", "--version"]))?.[1])
  if (version >= oldestSystemd) return
  throw new Fault(
    "install_failed",
    `This is systemd ${version}, and the units need ${oldestSystemd} (Debian 12) or newer; run countersign serve instead.`,
  )
}

/**
 * Throws unless the services could start this program, and nobody but root could change it.
 *
 * @throws {Fault} `install_failed` with what to do.
 */
export function assertStartable({ node, packageRoot }: Program): void {
  for (const [what, path] of [
    ["Node", node],
    ["the package", packageRoot],
  ] as const) {
    const flaw = flawOf(path)
    if (flaw === undefined) continue
    throw new Fault(
      "install_failed",
      `The services can't use ${what} at ${path}: ${flaw}. Install it for the whole machine, as root: ${what === "Node" ? "Node 24 or newer in /usr/local, say" : "npm install -g --prefix /usr/local countersign"}.`,
    )
  }
  assertBuilt(packageRoot)
}

function flawOf(path: string): string | undefined {
  if (!plainPath.test(path)) return "the path has characters that units read in their own way"
  const hidden = hiddenDirectories.find((directory) => path.startsWith(`${directory}/`))
  if (hidden !== undefined) return `they don't see what is in ${hidden}`
  return withParents(path)
    .map(flawOfPart)
    .find((flaw) => flaw !== undefined)
}

/** From `/` to the path itself. */
function withParents(path: string): readonly string[] {
  return path === "/" ? [path] : [...withParents(dirname(path)), path]
}

function flawOfPart(path: string): string | undefined {
  const { uid, mode } = statSync(path)
  if (uid !== 0) return `${path} belongs to the uid ${uid}, who could change it`
  if ((mode & 0o002) !== 0) return `everybody can write to ${path}`
  return (mode & 0o005) === 0o005 ? undefined : `${path} is closed to other users than root`
}

function assertBuilt(packageRoot: string): void {
  const entry = join(packageRoot, "dist/vault/main.js")
  const status = statSync(entry, { throwIfNoEntry: false })
  if (status === undefined) {
    throw new Fault(
      "install_failed",
      `${entry} isn't there: this is a checkout; install the package that npm pack makes.`,
    )
  }
  const flaw = flawOfFile(entry, status.mode)
  if (flaw !== undefined) throw new Fault("install_failed", flaw)
}

function flawOfFile(path: string, mode: number): string | undefined {
  if ((mode & 0o004) !== 0) return undefined
  return `Only root can read ${path}; install the package again after umask 022.`
}
