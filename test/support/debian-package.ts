import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

import { fetchedNode } from "../../packaging/deb/node.ts"
import { repositoryRoot } from "./markdown.ts"
import { lacking, needs } from "./needs.ts"

const run = promisify(execFile)

/** What no build reads; node_modules is shared. */
const unread = [".git", "node_modules", "dist", "test"]

/** Neither the last commit's time nor the clock's. */
const sourceDateSeconds = 1_750_000_000

export type Builds = {
  readonly home: string
  /** Where Node's tarball lies, as npm gave it. */
  readonly tarball: string
  remove(): Promise<void>
}

/** Options for a test that builds the package. */
export function needsDpkg(): { readonly skip?: string } {
  if (process.platform !== "linux" || process.arch !== "x64") {
    return lacking("needs Linux on amd64, whose programs the package has")
  }
  return needs("dpkg-deb", "apt-get install dpkg")
}

/** A directory for builds, with Node's tarball, which all of them share. */
export async function makeBuilds(): Promise<Builds> {
  const home = await mkdtemp(join(tmpdir(), "cs-deb-"))
  const tarball = join(home, "node.tgz")
  await writeFile(tarball, fetchedNode(home))
  return { home, tarball, remove: () => rm(home, { recursive: true }) }
}

/** Copies a checkout, as far as a build reads it, to `directory`. */
export async function copyCheckout(directory: string, from = repositoryRoot): Promise<void> {
  await mkdir(directory, { recursive: true })
  const names = (await readdir(from)).filter((name) => !unread.includes(name))
  for (const name of names) await cp(join(from, name), join(directory, name), { recursive: true })
  await symlink(join(repositoryRoot, "node_modules"), join(directory, "node_modules"))
}

/** Builds a checkout's package by its npm script, under a umask and a time zone. @throws with what it says on failure. */
export async function buildPackage(
  checkout: string,
  {
    args,
    umask = "022",
    zone = "UTC",
  }: { readonly args: readonly string[]; readonly umask?: string; readonly zone?: string },
): Promise<string> {
  const line = `umask ${umask}; exec npm run --silent package:deb -- "$@"`
  const { stdout } = await run("sh", ["-c", line, "sh", ...args], {
    cwd: checkout,
    env: { ...process.env, SOURCE_DATE_EPOCH: String(sourceDateSeconds), TZ: zone },
  })
  return stdout.trim()
}
