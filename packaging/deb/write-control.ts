import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"

import { fillIn } from "./fill-in.ts"
import { pathsIn } from "./paths-in.ts"
import { scriptValues } from "./script-values.ts"

const bytesPerKib = 1024

/** Writes what dpkg reads of a package that is otherwise complete: its description, its hashes and its scripts. */
export function writeControl(tree: string, version: string): void {
  const paths = pathsIn(tree)
  const files = paths.filter((path) => statSync(join(tree, path)).isFile())
  const sizeKib = installedKib(tree, paths)
  const control = join(tree, "DEBIAN")
  mkdirSync(control)
  const write = (name: string, text: string, mode = 0o644): void =>
    writeFileSync(join(control, name), text, { mode })

  write("control", fillIn("control", { VERSION: version, INSTALLED_KIB: String(sizeKib) }))
  write("md5sums", files.map((path) => `${md5(join(tree, path))}  ${path}\n`).join(""))
  const values = scriptValues()
  for (const script of ["preinst", "postinst", "prerm", "postrm"]) {
    write(script, fillIn(script, values), 0o755)
  }
}

/** As Debian counts it, the same on every file system: files in whole KiB, and one for everything else. */
function installedKib(tree: string, paths: readonly string[]): number {
  const kibOf = (path: string): number => {
    const stat = statSync(join(tree, path))
    return stat.isFile() ? Math.ceil(stat.size / bytesPerKib) : 1
  }
  return paths.reduce((total, path) => total + kibOf(path), 0)
}

function md5(file: string): string {
  return createHash("md5").update(readFileSync(file)).digest("hex")
}
