import { execFileSync } from "node:child_process"
import { constants } from "node:fs"
import { copyFile, cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { copyDependencies } from "./checkout.ts"
import { repositoryRoot } from "./markdown.ts"

/** Names the directory of what tests start in place of the checkout. */
const variable = "COUNTERSIGN_TESTED"

/** What is published besides dist/, as far as a daemon or a command reads it. */
const parts = ["bin", "docs", "policies", "systemd", "package.json"]

/**
 * Makes what is published of these sources, and has the tests start that: it takes half the processor time that sources
 * take to start. It lies where other users can read it, and has this Node, whoever can read the checkout. Returns what removes it.
 */
export async function testPublished(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "cs-published-"))
  for (const part of parts) {
    await cp(join(repositoryRoot, part), join(directory, part), { recursive: true })
  }
  await copyDependencies(directory)
  await copyFile(process.execPath, join(directory, "node"), constants.COPYFILE_FICLONE)
  const bundle = join(repositoryRoot, "packaging/bundle.ts")
  execFileSync(process.execPath, [bundle, "--to", join(directory, "dist")], { stdio: "ignore" })
  execFileSync("chmod", ["-R", "go=u-w", directory])
  process.env[variable] = directory
  return () => rm(directory, { recursive: true, force: true })
}

/** What was published for this run, if anything was. */
export const published: string | undefined = process.env[variable]

/** The directory of the package that they start. */
export const packageTested: string = published ?? repositoryRoot

/** What the launcher runs, and what starts a process of the daemon, for a test that does so by itself. */
export function mainOf(part: "" | "gate" | "relay" | "vault"): string {
  const main = join(part, "main")
  return join(packageTested, published === undefined ? `src/${main}.ts` : `dist/${main}.js`)
}

/** The launcher that tests start: of what was published for this run, else the checkout's, which runs the sources. */
export const bin: string = join(packageTested, "bin/countersign.js")

/** The Node that they start it with. */
export const node: string = nodeIn(published)

function nodeIn(directory: string | undefined): string {
  return directory === undefined ? process.execPath : join(directory, "node")
}
