import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"

import { fillIn } from "./fill-in.ts"

/**
 * Puts what Debian looks for elsewhere where it looks: the command, units, users, directories, licences.
 * Returns the units' names.
 */
export function stageSystem({
  root,
  node,
  tree,
}: {
  readonly root: string
  readonly node: string
  readonly tree: string
}): readonly string[] {
  const put = (path: string, text: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text, { mode })
  }
  const systemd = (name: string): Buffer => readFileSync(join(root, "systemd", name))
  const names = readdirSync(join(root, "systemd"))

  put("usr/bin/countersign", fillIn("countersign", {}), 0o755)
  const units = names.filter((name) => /\.(?:service|socket|target)$/.test(name)).sort()
  for (const name of units) put(`usr/lib/systemd/system/${name}`, systemd(name))
  for (const kind of ["sysusers", "tmpfiles"]) {
    for (const name of names.filter((file) => file.endsWith(`.${kind}.conf`))) {
      put(`usr/lib/${kind}.d/countersign.conf`, systemd(name))
    }
  }
  const documents = "usr/share/doc/countersign"
  put(`${documents}/copyright`, fillIn("copyright", { LICENSE: indented(root) }))
  put(`${documents}/changelog.gz`, gzipSync(readFileSync(join(root, "CHANGELOG.md"))))
  put(`${documents}/LICENSE.node.gz`, gzipSync(readFileSync(join(node, "LICENSE"))))
  return units
}

/** Our licence as a field of Debian's copyright file: each line indented, an empty one marked by a full stop. */
function indented(root: string): string {
  const lines = readFileSync(join(root, "LICENSE"), "utf8").trimEnd().split("\n")
  return lines.map((line) => ` ${line === "" ? "." : line}`).join("\n")
}
