import { readdirSync } from "node:fs"

/** All paths below a directory, relative to it, in an order that no locale and no file system changes. */
export function pathsIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).sort()
}
