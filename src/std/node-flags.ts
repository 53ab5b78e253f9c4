import { sep } from "node:path"

/** A flag that only some of Node's versions know, for those that do: to the others it is a bad option. */
export function ifKnown(flag: string): readonly string[] {
  return process.allowedNodeEnvironmentFlags.has(flag) ? [flag] : []
}

/** The outermost `node_modules` on `path`: dependencies of dependencies may lie anywhere under it. */
export function outermostInstall(path: string): readonly string[] {
  const name = `${sep}node_modules`
  const end = path.indexOf(`${name}${sep}`)
  return end === -1 ? [] : [path.slice(0, end + name.length)]
}
