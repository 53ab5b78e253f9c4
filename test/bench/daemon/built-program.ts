import { execFile } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { cp, readFile, realpath, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { inventory } from "../../../packaging/inventory.ts"
import { repositoryRoot } from "../../support/markdown.ts"
import { bin } from "../../support/published.ts"
import type { Settings } from "../case.ts"

const run = promisify(execFile)
let building: Promise<string> | undefined

/** The launcher that these settings ask for. */
export async function launcherOf(program: Settings["program"]): Promise<string> {
  return program === "built" ? builtProgram() : bin
}

/**
 * The launcher of what is published, built once for this process into a directory of its own: a checkout strips
 * the types of its sources at every start.
 */
function builtProgram(): Promise<string> {
  building ??= build()
  return building
}

async function build(): Promise<string> {
  const stage = mkdtempSync(join(tmpdir(), "cs-built-"))
  process.once("exit", () => rmSync(stage, { recursive: true, force: true, maxRetries: 10 }))
  const modules = await realpath(join(repositoryRoot, "node_modules"))
  const bundle = join(repositoryRoot, "packaging/bundle.ts")
  await run(process.execPath, [bundle, "--to", join(stage, "dist")])
  for (const name of await published()) {
    await cp(join(repositoryRoot, name), join(stage, name), { recursive: true })
  }
  await symlink(modules, join(stage, "node_modules"))
  return join(stage, "bin/countersign.js")
}

/** What is in the package besides what is built, as package.json has it. */
async function published(): Promise<readonly string[]> {
  const text = await readFile(join(repositoryRoot, "package.json"), "utf8")
  const { files } = JSON.parse(text) as { readonly files: readonly string[] } // ours
  const built = ["dist", "npm-shrinkwrap.json", ...Object.values(inventory)]
  return ["package.json", ...files.filter((name) => !built.includes(name))]
}
