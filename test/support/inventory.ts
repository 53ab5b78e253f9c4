import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"

import { inventory } from "../../packaging/inventory.ts"

/** Whether a file of a package has a sum: all but the list of sums. */
export function isSummed(path: string): boolean {
  return path !== inventory.sums
}

/** The files below `directory` whose sums it has, sorted. @throws when one isn't right. */
export function summedIn(directory: string): readonly string[] {
  execFileSync("sha256sum", ["--check", "--strict", "--quiet", inventory.sums], { cwd: directory })
  const lines = readFileSync(join(directory, inventory.sums), "utf8").trimEnd().split("\n")
  return lines.map((line) => line.slice(66)).sort()
}

/** The packages that the one in `directory` lists, as `name@version`, sorted. */
export function listedIn(directory: string): readonly string[] {
  const { components } = JSON.parse(readFileSync(join(directory, inventory.packages), "utf8")) as {
    readonly components: readonly { readonly name: string; readonly version: string }[]
  }
  return components.map(({ name, version }) => `${name}@${version}`).sort()
}
