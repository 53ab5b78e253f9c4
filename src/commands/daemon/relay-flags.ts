import { networkFlags, readFlags } from "./process-flags.ts"

/** The relay's: it reads its own code, relay.yaml and what that names. */
export function relayFlags(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  return networkFlags(readFlags(directories, files))
}
