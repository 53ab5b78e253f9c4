import { sep } from "node:path"
import { fileURLToPath } from "node:url"

import { ifKnown, outermostInstall } from "../../../std/node-flags.ts"
import { packageRoot } from "../../../std/program-files.ts"

/**
 * Node's permission model for the keychain's own process: it reads the program and loads the library, which
 * then is native code that no flag restricts. It needs no network permission, as the library opens its
 * sockets itself.
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

/** What of the environment tells where the bus is. NODE_OPTIONS and its like could load other code. */
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
