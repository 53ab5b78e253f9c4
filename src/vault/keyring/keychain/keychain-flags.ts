import { sep } from "node:path"
import { fileURLToPath } from "node:url"

import { ifKnown, outermostInstall, packageRoot } from "../../../std/program-files.ts"

/**
 * Node's permission flags for the keychain's own process. It may read the program and load the library. No flag
 * restricts the library, because it is native code; it opens its sockets itself, so no network permission is needed.
 */
export function keychainProcessFlags(keytarDirectory: string | undefined): readonly string[] {
  return [
    // Given here, they also keep Node from passing the parent's own flags on through NODE_OPTIONS.
    "--permission",
    "--allow-addons",
    ...codeDirectories(keytarDirectory).map((path) => `--allow-fs-read=${path}${sep}*`),
    ...ifKnown("--no-experimental-sqlite"),
    ...ifKnown("--disable-sigusr1"),
    "--disable-proto=throw",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
  ]
}

/** Only the variables that say where the bus is. NODE_OPTIONS and others could load other code. */
export function keychainEnvironment(): NodeJS.ProcessEnv {
  const names = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "HOME", "PATH", "USER", "LOGNAME"]
  const kept = names.map((name) => [name, process.env[name]] as const)
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined))
}

/** This package, where its dependencies are installed, and keytar with its own. */
function codeDirectories(keytarDirectory: string | undefined): readonly string[] {
  const library = fileURLToPath(import.meta.resolve("@napi-rs/keyring"))
  const given = keytarDirectory === undefined ? [] : [keytarDirectory]
  const paths = [packageRoot, library, ...given]
  return [...new Set([packageRoot, ...given, ...paths.flatMap(outermostInstall)])]
}
