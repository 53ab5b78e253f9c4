import { ifKnown } from "../../std/node-flags.ts"
import { memoryFlags, readFlags } from "./process-flags.ts"

/**
 * Flags that take from the relay what it never needs: writing files, reading any but its own code, relay.yaml and what
 * that names, child processes, workers, addons, the inspector; and those that keep it small. Against hostile code in the
 * process the unit file is the boundary.
 */
export function relayFlags(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  return [
    "--permission",
    ...readFlags(directories, files),
    // Node 26 needs it even for Unix sockets; to Node 24, which doesn't restrict the network, it is a bad option.
    ...ifKnown("--allow-net"),
    // node:sqlite asks the permission model nothing, and could write files.
    ...ifKnown("--no-experimental-sqlite"),
    "--disable-sigusr1",
    "--disable-proto=delete",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    ...memoryFlags,
  ]
}
