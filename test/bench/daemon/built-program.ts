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
const building = new Map<string, Promise<string>>()

/** The launcher that these settings ask for; of another checkout, what it would publish. */
export async function launcherOf(
  program: Settings["program"],
  checkout = repositoryRoot,
): Promise<string> {
  return program === "built" || checkout !== repositoryRoot ? builtProgram(checkout) : bin
}

/**
 * The launcher of what is published, built once for this process into a directory of its own: a checkout strips
 * the types of its sources at every start.
 */
function builtProgram(checkout: string): Promise<string> {
  const built = building.get(checkout) ?? build(checkout)
  building.set(checkout, built)
  return built
}

async function build(checkout: string): Promise<string> {
  const stage = mkdtempSync(join(tmpdir(), "cs-built-"))
  process.once("exit", () => rmSync(stage, { recursive: true, force: true, maxRetries: 10 }))
  const modules = await realpath(join(checkout, "node_modules"))
  const bundle = join(checkout, "packaging/bundle.ts")
  await run(process.execPath, [bundle, "--to", join(stage, "dist")])
  for (const name of await published(checkout)) {
    await cp(join(checkout, name), join(stage, name), { recursive: true })
  }
  await symlink(modules, join(stage, "node_modules"))
  return join(stage, "bin/countersign.js")
}

/** What is in the package besides what is built, as package.json has it. */
async function published(checkout: string): Promise<readonly string[]> {
  const text = await readFile(join(checkout, "package.json"), "utf8")
  const { files } = JSON.parse(text) as { readonly files: readonly string[] } // ours
  const built = ["dist", "npm-shrinkwrap.json", ...Object.values(inventory)]
  return ["package.json", ...files.filter((name) => !built.includes(name))]
}
