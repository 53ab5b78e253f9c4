import { existsSync, lstatSync, readdirSync, type Stats } from "node:fs"
import { dirname, join } from "node:path"

import { Fault } from "../../std/fault.ts"
import { target, runOrFail, statusOf, type System } from "./system.ts"
import type { Program } from "./render-units.ts"

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
    throw new Fault("usage", "This changes the system, so run it as root.")
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
 * Throws where the Debian package has the services: a second set of units would stand before its own, and miss its upgrades.
 *
 * @throws {Fault} `usage` with what to run instead.
 */
export function assertNotPackaged(system: System): void {
  if (statusOf(system, `/usr/lib/systemd/system/${target}`) === undefined) return
  throw new Fault(
    "usage",
    `The Debian package has installed the services already: countersign init-service sets them up, systemctl enable --now ${target} starts them (countersign status tells whether they run), and apt-get remove countersign removes them.`,
  )
}

/**
 * Throws unless the services could start this program, and nobody but root could change any file of it.
 *
 * @throws {Fault} `install_failed` with what to do.
 */
export function assertStartable({ node, packageRoot }: Program): void {
  assertFlawless("Node", node, withParents(node))
  assertFlawless("the package", packageRoot, withParents(packageRoot))
  const entry = join(packageRoot, "dist/vault/main.js")
  if (!existsSync(entry)) {
    throw new Fault(
      "install_failed",
      `${entry} isn't there: this is a checkout; install the package that npm pack makes.`,
    )
  }
  assertFlawless("the package", packageRoot, pathsBelow(packageRoot))
}

const remedies = {
  Node: "Node 24 or newer in /usr/local, say",
  "the package": "npm install -g --prefix /usr/local countersign, after umask 022",
} as const

function assertFlawless(what: keyof typeof remedies, path: string, parts: Iterable<string>): void {
  const flaw = flawOfPlace(path) ?? firstFlaw(parts)
  if (flaw === undefined) return
  throw new Fault(
    "install_failed",
    `The services can't use ${what} at ${path}: ${flaw}. Install it for the whole machine, as root: ${remedies[what]}.`,
  )
}

function flawOfPlace(path: string): string | undefined {
  if (!plainPath.test(path)) return "the path has characters that mean something else in a unit"
  const hidden = hiddenDirectories.find((directory) => path.startsWith(`${directory}/`))
  return hidden === undefined ? undefined : `they don't see what is in ${hidden}`
}

/** From `/` to the path itself. */
function withParents(path: string): readonly string[] {
  return path === "/" ? [path] : [...withParents(dirname(path)), path]
}

/** All that is in a directory, and in those in it. No link is followed. */
function* pathsBelow(directory: string): Generator<string> {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    yield path
    if (entry.isDirectory()) yield* pathsBelow(path)
  }
}

function firstFlaw(paths: Iterable<string>): string | undefined {
  for (const path of paths) {
    const flaw = flawOfPart(path, lstatSync(path))
    if (flaw !== undefined) return flaw
  }
  return undefined
}

/**
 * Why a file or directory could be changed by others than root, or not be read by the services. A group is others
 * even where it is root's own: who is in it may change.
 */
function flawOfPart(path: string, status: Stats): string | undefined {
  const { uid, gid, mode } = status
  if (uid !== 0) return `${path} belongs to the uid ${uid}, who could change it`
  if (status.isSymbolicLink()) return undefined // its mode means nothing, and to exchange it takes its directory's
  if ((mode & 0o002) !== 0) return `everybody can write to ${path} (chmod o-w ends that)`
  if ((mode & 0o020) !== 0) return `the group ${gid} can write to ${path} (chmod g-w ends that)`
  const needed = (mode & 0o100) === 0 ? 0o004 : 0o005 // others may run a program and enter a directory too
  return (mode & needed) === needed ? undefined : `${path} is closed to other users than root`
}
