import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"

import { serviceFiles } from "../../src/commands/service/render-units.ts"
import { fillIn } from "./fill-in.ts"
import { manPage } from "./man-page.ts"

/** Puts what Debian looks for elsewhere where it looks: the command, its page, units, users, directories, licences. */
export async function stageSystem({
  root,
  node,
  tree,
  version,
}: {
  readonly root: string
  readonly node: string
  readonly tree: string
  readonly version: string
}): Promise<void> {
  const put = (path: string, text: string | Uint8Array, mode = 0o644): void => {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text, { mode })
  }
  put("usr/bin/countersign", fillIn("countersign", {}), 0o755)
  for (const { place, text } of serviceFiles()) put(`usr/lib/${place}`, text)
  put("usr/share/man/man1/countersign.1.gz", gzipSync(await manPage(version)))
  const documents = "usr/share/doc/countersign"
  put(`${documents}/copyright`, fillIn("copyright", { LICENSE: indented(root) }))
  put(`${documents}/changelog.gz`, gzipSync(readFileSync(join(root, "CHANGELOG.md"))))
  put(`${documents}/LICENSE.node.gz`, gzipSync(readFileSync(join(node, "LICENSE"))))
}

/** Our licence as a field of Debian's copyright file: each line indented, an empty one marked by a full stop. */
function indented(root: string): string {
  const lines = readFileSync(join(root, "LICENSE"), "utf8").trimEnd().split("\n")
  return lines.map((line) => ` ${line === "" ? "." : line}`).join("\n")
}
