import { cp, mkdir, symlink } from "node:fs/promises"
import { join } from "node:path"

import { repositoryRoot } from "./markdown.ts"

/** What a checkout needs to run, but for its dependencies. */
const parts = ["bin", "docs", "src", "package.json"]

/** Puts a checkout into `directory`, with this one's dependencies, and returns its launcher. */
export async function makeCheckout(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true })
  for (const part of parts) {
    await cp(join(repositoryRoot, part), join(directory, part), { recursive: true })
  }
  await symlink(join(repositoryRoot, "node_modules"), join(directory, "node_modules"))
  return join(directory, "bin/countersign.js")
}
