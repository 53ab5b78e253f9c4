// What npm publishes besides what is in the repository: `prepack` writes it once dist/ is built, `postpack` removes it.
// `node packaging/prepack.ts [--remove]`
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { pathsIn } from "./deb/paths-in.ts"
import { inventory, packagesOf, sumsOf } from "./inventory.ts"

/** The lock as npm reads it of a package that is installed. */
const lock = "npm-shrinkwrap.json"
/** What npm puts into every package, whatever "files" says. */
const always = ["package.json", "README.md", "LICENSE"]

const root = fileURLToPath(new URL("..", import.meta.url))
const inRoot = (name: string): string => join(root, name)

if (process.argv.includes("--remove")) {
  for (const name of [lock, ...Object.values(inventory)]) rmSync(inRoot(name), { force: true })
} else {
  writeFileSync(inRoot(inventory.packages), packagesOf(root))
  copyFileSync(inRoot("package-lock.json"), inRoot(lock))
  writeFileSync(inRoot(inventory.sums), sumsOf(root, published()))
}

function published(): readonly string[] {
  const { files } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as {
    readonly files: readonly string[]
  }
  const listed = files
    .filter((name) => name !== inventory.sums)
    .flatMap((name) =>
      statSync(inRoot(name)).isFile()
        ? name
        : pathsIn(inRoot(name)).map((path) => join(name, path)),
    )
  return [...always, ...listed].sort()
}
