import { existsSync } from "node:fs"
import { cp, mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"

import { readRepositoryFile, repositoryRoot } from "./markdown.ts"

/** What a checkout needs to run, but for its dependencies. */
const parts = ["bin", "docs", "src", "package.json"]

/** Puts a checkout into `directory`, with this one's dependencies or a copy of them, and returns its launcher. */
export async function makeCheckout(
  directory: string,
  dependencies: "with this one's" | "with its own" = "with this one's",
): Promise<string> {
  await mkdir(directory, { recursive: true })
  for (const part of parts) {
    await cp(join(repositoryRoot, part), join(directory, part), { recursive: true })
  }
  const own = join(repositoryRoot, "node_modules")
  if (dependencies === "with this one's") await symlink(own, join(directory, "node_modules"))
  else await copyDependencies(directory)
  return join(directory, "bin/countersign.js")
}

/** Those that are published, which a package-lock tells from those of development. */
export async function copyDependencies(directory: string): Promise<void> {
  const lock = JSON.parse(readRepositoryFile("package-lock.json")) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>
  }
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    if (path === "" || dev === true || !existsSync(join(repositoryRoot, path))) continue
    await cp(join(repositoryRoot, path), join(directory, path), { recursive: true })
  }
}
