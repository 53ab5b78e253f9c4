import { sep } from "node:path"

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
