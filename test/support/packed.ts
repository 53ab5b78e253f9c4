import { spawn } from "node:child_process"
import { once } from "node:events"
import { constants, readdirSync } from "node:fs"
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { text } from "node:stream/consumers"

import { repositoryRoot } from "./markdown.ts"

/** The package as npm installs it for a whole machine. */
export type Packed = {
  /** npm's prefix: `bin/countersign`, and this Node as `bin/node`. */
  readonly prefix: string
  readonly packageRoot: string
  /** Its files, without its dependencies'. */
  readonly files: readonly string[]
  remove(): Promise<void>
}

/** Packs a copy of this repository, so that no other test sees what is built, and installs it. */
export async function installPacked(): Promise<Packed> {
  const home = await mkdtemp(join(tmpdir(), "cs-packed-"))
  await chmod(home, 0o755)
  const [stage, prefix] = [join(home, "stage"), join(home, "prefix")]
  await cp(repositoryRoot, stage, { recursive: true, filter: isOurs })
  await symlink(join(repositoryRoot, "node_modules"), join(stage, "node_modules"))
  await mkdir(prefix, { mode: 0o755 })
  await npm(stage, "pack", "--pack-destination", home)
  await rm(stage, { recursive: true })
  const [archive = ""] = readdirSync(home).filter((name) => name.endsWith(".tgz"))
  await npm(home, "install", "--global", "--prefix", prefix, join(home, archive))
  await copyFile(process.execPath, join(prefix, "bin/node"), constants.COPYFILE_FICLONE)
  const packageRoot = join(prefix, "lib/node_modules/countersign")
  return {
    prefix,
    packageRoot,
    files: filesUnder(packageRoot).map((path) => relative(packageRoot, path)),
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 10 }),
  }
}

const notCopied = new Set([".git", "node_modules", "dist"])

function isOurs(path: string): boolean {
  return !notCopied.has(relative(repositoryRoot, path))
}

/** npm needs a registry only for what its cache doesn't have, since npm ci ran here. */
const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]

async function npm(directory: string, ...args: readonly string[]): Promise<void> {
  // As root installs it: what a group could write, no service is made of.
  const asRoot = ["-c", 'umask 022; exec npm "$@"', "npm"]
  const child = spawn("sh", [...asRoot, ...args, ...quiet], {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 300_000,
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
}

function filesUnder(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .flatMap((each) => {
      const path = join(directory, each.name)
      return each.isDirectory() ? filesUnder(path) : [path]
    })
}
