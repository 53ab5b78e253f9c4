import { findPackageJSON } from "node:module"
import { dirname, join } from "node:path"

const isSource = import.meta.url.endsWith(".ts")

/**
 * The directory of this program's package, whether it runs from a checkout or from where it was installed. What is
 * published is bundled, so no module may take its own place for that of its source.
 */
export const packageRoot: string = dirname(findPackageJSON(import.meta.url) ?? import.meta.dirname)

/** What this program runs from: its sources in a checkout, and in a package what was made of them. */
export const programFolder: string = join(packageRoot, isSource ? "src" : "dist")

/** A process's or thread's entry, by its path in {@link programFolder}, without extension. */
export function programFile(entry: string): string {
  return join(programFolder, `${entry}${isSource ? ".ts" : ".js"}`)
}
