import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { ifKnown, outermostInstall } from "../../std/node-flags.ts"
import { packageRoot } from "../../std/program-files.ts"
import { isWithin, memoryFlags, readFlags } from "./process-flags.ts"

/**
 * Flags that take from the gate what it never needs: writing files, reading any but its own code and its own secrets,
 * child processes, workers, addons, the inspector; and those that keep it small. They restrict accidents and ordinary bugs; against
 * hostile code in the process the unit file is the boundary.
 */
export function gatePermissionFlags(
  appDirectories: readonly string[],
  notifyDirectory?: string,
): readonly string[] {
  return [
    "--permission",
    ...readFlags(appDirectories),
    ...(notifyDirectory === undefined ? [] : [`--allow-fs-read=${join(notifyDirectory, "*")}`]),
    // Node 26 needs it even for Unix sockets; to Node 24, which doesn't restrict the network, it is a bad option.
    ...ifKnown("--allow-net"),
    // node:sqlite asks the permission model nothing, and could write files.
    ...ifKnown("--no-experimental-sqlite"),
    "--disable-sigusr1",
    // Not `throw`: a header or an answer's header of that name would end the process, in Node's own parser.
    "--disable-proto=delete",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    ...memoryFlags,
  ]
}

/** The directories that hold the gate's code: this package, and where its dependencies are installed. */
export function gateAppDirectories(): readonly string[] {
  const dependency = fileURLToPath(import.meta.resolve("express"))
  const installs = [packageRoot, dependency].flatMap(outermostInstall)
  return [packageRoot, ...new Set(installs.filter((path) => !isWithin(path, packageRoot)))]
}
