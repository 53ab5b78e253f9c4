import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { outermostInstall, packageRoot } from "../../std/program-files.ts"
import { isWithin, networkFlags, readFlags } from "./process-flags.ts"

/** The gate's: it reads its own code and its own secrets. */
export function gatePermissionFlags(
  appDirectories: readonly string[],
  notifyDirectory?: string,
): readonly string[] {
  return networkFlags([
    ...readFlags(appDirectories),
    ...(notifyDirectory === undefined ? [] : [`--allow-fs-read=${join(notifyDirectory, "*")}`]),
  ])
}

/** The directories that hold the gate's code: this package, and where its dependencies are installed. */
export function gateAppDirectories(): readonly string[] {
  const dependency = fileURLToPath(import.meta.resolve("express"))
  const installs = [packageRoot, dependency].flatMap(outermostInstall)
  return [packageRoot, ...new Set(installs.filter((path) => !isWithin(path, packageRoot)))]
}
