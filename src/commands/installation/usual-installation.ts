import { statSync } from "node:fs"
import { userInfo, homedir } from "node:os"
import { isAbsolute, join } from "node:path"

import { Fault } from "../../std/fault.ts"
import { isThere } from "../../std/private-file.ts"
import { shellWord } from "../../std/visible.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { systemInstallation, target } from "../service/system.ts"

let known: string | undefined

/** Who runs this command, for the record: `ana (uid 1000)`; as found at first, since a command may take another identity later. */
export function caller(): string {
  return (known ??= callerOf(process.env, process.getuid?.()))
}

/** As {@link caller}, of a process with this environment and user. */
export function callerOf(environment: NodeJS.ProcessEnv, uid: number | undefined): string {
  const isSudo = uid === 0 && environment["SUDO_USER"] !== undefined
  const name = isSudo ? personName(environment) : personName({})
  return `${name} (uid ${uid ?? "unknown"}${isSudo ? ", by sudo" : ""})`
}

/** The user behind sudo, else the one who started the process, with nothing in it that a record can't have. */
export function personName(environment: NodeJS.ProcessEnv = process.env): string {
  const name = environment["SUDO_USER"] ?? ownName()
  return name.replace(/[^\w.@-]/g, "_").slice(0, 64) || "unknown"
}

/** A user of a container may have no name. */
function ownName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.() ?? ""}`
  }
}

/**
 * Notes who runs this, and as root takes the identity of the directory's owner before anything is opened, so that no file becomes root's, and
 * none of the owner's is refused as another user's.
 */
export function becomeOwner(directory: string): void {
  caller()
  if (process.getuid?.() !== 0) return
  const owner = statSync(directory, { throwIfNoEntry: false })
  if (owner === undefined || owner.uid === 0) return
  process.setgroups?.([])
  process.setgid?.(owner.gid)
  process.setuid?.(owner.uid)
  goHome()
}

/** The owner's signers have their marks there, unless countersign.yaml says where. A user of a service may have no name. */
function goHome(): void {
  try {
    process.env["HOME"] = userInfo().homedir
  } catch {
    // Then it has no home either.
  }
}

/**
 * Where an installation is that no option names: the user's own, or the services' for a root who has none.
 * Only root can look into theirs.
 *
 * @throws {Fault} `not_initialised` where no service has made the state its own yet: root would then read, with root's
 * rights, what another user may have written.
 */
export function usualInstallation({
  uid = process.getuid?.(),
  services = systemInstallation,
}: {
  readonly uid?: number | undefined
  readonly services?: Installation
} = {}): Installation {
  const own = ownInstallation()
  if (uid !== 0 || hasConfig(own) || !hasConfig(services)) return own
  assertOfService(services)
  return services
}

function assertOfService({ stateDir }: Installation): void {
  if (statSync(stateDir, { throwIfNoEntry: false })?.uid !== 0) return
  throw new Fault(
    "not_initialised",
    `${stateDir} belongs to root; systemctl start ${target} makes it the service's. Or name an installation with --config-dir and --state-dir.`,
  )
}

/** The user's own, in the XDG base directories. */
export function ownInstallation(): Installation {
  return {
    configDir: xdg("XDG_CONFIG_HOME", ".config"),
    stateDir: xdg("XDG_STATE_HOME", ".local/state"),
  }
}

function hasConfig(installation: Installation): boolean {
  return isThere(pathsOf(installation).configFile)
}

/** XDG Base Directory Specification: a relative path in the variable is ignored. */
function xdg(variable: string, fallback: string): string {
  const base = process.env[variable]
  const home = base !== undefined && isAbsolute(base) ? base : join(homedir(), fallback)
  return join(home, "countersign")
}

/** The options that name an installation. */
export function locationWords({ configDir, stateDir }: Installation): string {
  return configDir === stateDir
    ? `--dir ${shellWord(configDir)}`
    : `--config-dir ${shellWord(configDir)} --state-dir ${shellWord(stateDir)}`
}

/** What to do, with the installation named where that ends with a command of ours. */
export function fixHere(fix: string, installation: Installation): string {
  const isService = installation.stateDir === systemInstallation.stateDir
  if (isService && fix === "countersign serve") return `systemctl start ${target}`
  return /(?:^|: )countersign [^:]+$/.test(fix) ? `${fix} ${locationWords(installation)}` : fix
}
