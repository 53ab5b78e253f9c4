import { dirname, join, sep } from "node:path"

const isSource = import.meta.url.endsWith(".ts")
const folderName = isSource ? "src" : "dist"

/**
 * What this program runs from: its sources in a checkout, and in a package what was made of them. What is published is
 * bundled, so this module may lie anywhere below it. By the path alone: under the permission model Node's own
 * search for a package ends too early where another path that may be read begins with the package's.
 */
export const programFolder: string = folderOf(import.meta.dirname)

/** The directory of this program's package, whether it runs from a checkout or from where it was installed. */
export const packageRoot: string = dirname(programFolder)

function folderOf(here: string): string {
  const name = `${sep}${folderName}`
  return here.slice(0, `${here}${sep}`.lastIndexOf(`${name}${sep}`) + name.length)
}

/** A process's or thread's entry, by its path in {@link programFolder}, without extension. */
export function programFile(entry: string): string {
  return join(programFolder, `${entry}${isSource ? ".ts" : ".js"}`)
}
