import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

/**
 * Options for a test that runs `command`, a program of the system: skipped with the line that installs it
 * where it is missing.
 *
 * @throws when it is missing and CI=true: there nothing may be skipped unseen.
 */
export function needs(command: string, aptLine: string): { readonly skip?: string } {
  return isInstalled(command) ? {} : lacking(`needs ${command}: ${aptLine}`)
}

/** Options for a test that this machine can't run for another `reason`. @throws when CI=true. */
export function lacking(reason: string): { readonly skip: string } {
  if (process.env["CI"] === "true") throw new Error(reason)
  return { skip: reason }
}

/** Whether `command` is a program on the PATH. */
export function isInstalled(command: string): boolean {
  const directories = (process.env["PATH"] ?? "").split(delimiter).filter((path) => path !== "")
  return directories.some((directory) => {
    try {
      accessSync(join(directory, command), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
