// Builds the Debian package: `npm run package:deb -- [--to DIRECTORY] [--node FILE]`. The same sources and the same
// SOURCE_DATE_EPOCH (by default the last commit's) give the same bytes, wherever and whenever it is built.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import { fetchedNode, unpackNode } from "./node.ts"
import { run } from "./run.ts"
import { settle } from "./settle.ts"
import { sourceDateSeconds } from "./source-date.ts"
import { stageProgram } from "./stage-program.ts"
import { stageSystem } from "./stage-system.ts"
import { writeControl } from "./write-control.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

try {
  const { values } = parseArgs({
    options: { to: { type: "string", default: root }, node: { type: "string" } },
  })
  console.log(await build(values.to, values.node))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

/** Makes the package in `directory` and returns where it lies. Node is that of `tarball`, or is fetched. */
async function build(directory: string, tarball: string | undefined): Promise<string> {
  const seconds = sourceDateSeconds(root)
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly version: string
  }
  const file = join(directory, `countersign_${version}_amd64.deb`)
  const work = mkdtempSync(join(tmpdir(), "countersign-deb-"))
  try {
    const node = join(work, "node")
    unpackNode(tarball === undefined ? fetchedNode(work) : readFileSync(tarball), node)
    const tree = join(work, "tree")
    stageProgram({ root, node, tree })
    await stageSystem({ root, node, tree, version })
    writeControl(tree, version)
    settle(tree, seconds)
    mkdirSync(directory, { recursive: true })
    pack(tree, file, seconds)
    return file
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Of Node's 150 MB, zstd at 3 makes 46 in half a second, xz 32 in a minute. dpkg and apt read zstd since Debian 12. More
 * than one thread would cut the bytes up as this machine's cores suggest.
 */
function pack(tree: string, file: string, seconds: number): void {
  const compression = ["-Zzstd", "-z3", "--threads-max=1"]
  run("dpkg-deb", ["--root-owner-group", ...compression, "--build", tree, file], {
    environment: { SOURCE_DATE_EPOCH: String(seconds) },
  })
}
