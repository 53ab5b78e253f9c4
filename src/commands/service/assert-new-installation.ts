import { Fault } from "../../std/fault.ts"
import { pathsOf } from "../../vault/config/installation.ts"
import {
  credentialFile,
  credentialName,
  systemInstallation,
  vaultDirectories,
  vaultUser,
} from "./layout.ts"
import { identityOf, statusOf, type System } from "./system.ts"

/**
 * Throws unless the services' installation can be made: its user and directories are there, and nothing of an
 * older one, whose keystore a new secret wouldn't open.
 *
 * @throws {Fault} `already_initialised`, `install_failed` when something is in the way that only a person can decide about.
 */
export function assertNewInstallation(system: System): void {
  const { configFile, keystoreDir, ledgerFile } = pathsOf(systemInstallation)
  const { configDir, stateDir } = systemInstallation
  const isThere = (path: string): boolean => statusOf(system, path) !== undefined
  if (isThere(configFile)) {
    throw new Fault(
      "already_initialised",
      `There is an installation in ${configDir} already; systemd-creds decrypt --name=${credentialName} ${credentialFile} - shows its secret, for a copy.`,
    )
  }
  const left = [keystoreDir, ledgerFile, credentialFile].find(isThere)
  if (left !== undefined) {
    throw new Fault(
      "install_failed",
      `${left} is there and ${configFile} isn't; put ${configDir} back from its backup, or move ${stateDir} and ${credentialFile} away, and keep both: one opens the other.`,
    )
  }
  assertOwnDirectories(system)
}

/** tmpfiles.d leaves what is there to whom it belongs: it may be in use. */
function assertOwnDirectories(system: System): void {
  const uid = identityOf(system, vaultUser)?.uid
  if (uid === undefined) {
    throw new Fault(
      "install_failed",
      `There is no user ${vaultUser}; install the services first, by countersign install-service or the Debian package.`,
    )
  }
  for (const path of vaultDirectories) {
    const status = statusOf(system, path)
    if (typeof status === "object" && status.isDirectory() && status.uid === uid) continue
    throw new Fault(
      "install_failed",
      `${path} isn't a directory of ${vaultUser}; move away what is there, run systemd-tmpfiles --create countersign.conf, and run this again.`,
    )
  }
}
