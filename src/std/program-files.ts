import { dirname, join, sep } from "node:path"

const isSource = import.meta.url.endsWith(".ts")
const folderName = isSource ? "src" : "dist"

/**
 * The folder that this program runs from: src/ in a checkout, dist/ in a package. A package is bundled, so this module
 * may be anywhere below that folder. Only the path is used: under the permission model, Node's own search for a package
 * stops too early if another path that may be read begins with the package's path.
 */
export const programFolder: string = folderOf(import.meta.dirname)

/** The directory of this program's package, in a checkout or where it was installed. */
export const packageRoot: string = dirname(programFolder)

function folderOf(here: string): string {
  const name = `${sep}${folderName}`
  return here.slice(0, `${here}${sep}`.lastIndexOf(`${name}${sep}`) + name.length)
}

/** The entry file of a process or thread; `entry` is its path in {@link programFolder} without extension. */
export function programFile(entry: string): string {
  return join(programFolder, `${entry}${isSource ? ".ts" : ".js"}`)
}

/** A flag, if this version of Node knows it: other versions would refuse to start. */
export function ifKnown(flag: string): readonly string[] {
  return process.allowedNodeEnvironmentFlags.has(flag) ? [flag] : []
}

/** The outermost `node_modules` on `path`: all dependencies are somewhere under it. */
export function outermostInstall(path: string): readonly string[] {
  const name = `${sep}node_modules`
  const end = path.indexOf(`${name}${sep}`)
  return end === -1 ? [] : [path.slice(0, end + name.length)]
}
