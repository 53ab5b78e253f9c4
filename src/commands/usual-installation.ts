import { existsSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

import { Fault } from "../std/fault.ts"
import { pathsOf, type Installation } from "../vault/installation.ts"
import { systemInstallation } from "./service/layout.ts"

/**
 * Where an installation is that no option names: the user's own, or the services' for a root who has none.
 * Only root can look into theirs.
 *
 * @throws {Fault} `not_initialised` where the services are uninstalled: root would then read, with root's rights, a
 * ledger that the vault's user wrote.
 */
export function usualInstallation({
  uid = process.getuid?.(),
  services = systemInstallation,
}: {
  readonly uid?: number | undefined
  readonly services?: Installation
} = {}): Installation {
  const own = ownInstallation()
  if (uid !== 0 || isThere(own) || !isThere(services)) return own
  assertInstalled(services)
  return services
}

function assertInstalled({ configDir }: Installation): void {
  if (statSync(configDir).uid !== 0) return
  throw new Fault(
    "not_initialised",
    `${configDir} belongs to root, so no service is installed for it; run countersign install-service first, or name an installation with --config-dir and --state-dir.`,
  )
}

/** The user's own, in the XDG base directories. */
export function ownInstallation(): Installation {
  return {
    configDir: xdg("XDG_CONFIG_HOME", ".config"),
    stateDir: xdg("XDG_STATE_HOME", ".local/state"),
  }
}

function isThere(installation: Installation): boolean {
  return existsSync(pathsOf(installation).configFile)
}

/** XDG Base Directory Specification: a relative path in the variable is ignored. */
function xdg(variable: string, fallback: string): string {
  const base = process.env[variable]
  const home = base !== undefined && isAbsolute(base) ? base : join(homedir(), fallback)
  return join(home, "countersign")
}
