// Builds the clients' packages: `npm run package:clients [-- --to DIRECTORY]` makes npm's of src/client/, and Python's
// wheel and source distribution of clients/python/. It needs no network.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import { run } from "../deb/run.ts"
import { sourceDateSeconds } from "../deb/source-date.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const inRoot = (path: string): string => join(root, path)

/** Prints the names of both, and nothing else. What builds changes the arguments. */
const buildsPython = `import contextlib, os, sys
from setuptools import build_meta
to = sys.argv[1]
with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
    made = [build_meta.build_wheel(to), build_meta.build_sdist(to)]
print(*made)`

const { values } = parseArgs({ options: { to: { type: "string", default: root } } })
const to = resolve(values.to)
mkdirSync(to, { recursive: true })
const work = mkdtempSync(join(tmpdir(), "countersign-clients-"))
try {
  for (const name of [packTypeScript(), ...packPython()]) console.log(join(to, name))
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** What src/client/ is without its types, a file for a file, and the types beside it. */
function packTypeScript(): string {
  const stage = stageOf("typescript")
  const compiler = inRoot("node_modules/typescript/bin/tsc")
  const sources = ["-p", inRoot("tsconfig.client.json"), "--rootDir", inRoot("src/client")]
  const made = ["--emitDeclarationOnly", "false", "--outDir", stage]
  run(process.execPath, [compiler, ...sources, ...made])
  copyFileSync(inRoot("dist/client/contract.d.ts"), join(stage, "contract.d.ts"))
  const args = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", to]
  return run("npm", args, { cwd: stage }).trim()
}

/** By Debian's Python and what it builds with (python3-setuptools, python3-wheel), whichever comes first on the PATH. */
function packPython(): readonly string[] {
  const made = run("/usr/bin/python3", ["-W", "ignore", "-c", buildsPython, to], {
    cwd: stageOf("python"),
    environment: { SOURCE_DATE_EPOCH: String(sourceDateSeconds(root)) },
  })
  return made.trim().split(" ")
}

/** A copy of a client's directory, with the licence: tools write beside what they build. */
function stageOf(client: string): string {
  const stage = join(work, client)
  cpSync(inRoot(join("clients", client)), stage, { recursive: true })
  copyFileSync(inRoot("LICENSE"), join(stage, "LICENSE"))
  return stage
}
