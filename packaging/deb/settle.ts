import { chmodSync, lstatSync, utimesSync } from "node:fs"
import { join } from "node:path"

import { pathsIn } from "./paths-in.ts"

const readableByAll = 0o644
const runnableByAll = 0o755
const runnableByOwner = 0o100

/** Gives all below `tree`, and itself, the modes and times of the package, whatever this process's umask and clock are. */
export function settle(tree: string, seconds: number): void {
  for (const path of [...pathsIn(tree), "."].map((name) => join(tree, name))) {
    const stat = lstatSync(path)
    if (!stat.isFile() && !stat.isDirectory()) throw new Error(`${path} is no file or directory.`)
    const isRunnable = stat.isDirectory() || (stat.mode & runnableByOwner) !== 0
    chmodSync(path, isRunnable ? runnableByAll : readableByAll)
    utimesSync(path, seconds, seconds)
  }
}
