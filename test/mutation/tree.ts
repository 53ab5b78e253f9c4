import { execFile } from "node:child_process"
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { repositoryRoot } from "../support/markdown.ts"
import type { Guard } from "./guard.ts"

/** A copy of the sources and tests that may be broken. */
export type Tree = {
  /** Makes a guard's slip and returns how to take it back; `undefined` when its text isn't there once. */
  slip(guard: Guard): Promise<(() => Promise<void>) | undefined>
  /** What test files print when one of them fails; `undefined` when all pass. */
  failureOf(testFiles: readonly string[]): Promise<string | undefined>
  remove(): Promise<void>
}

const copied = ["src", "test", "bin", "policies", "docs", "package.json"]

/** A slip can make a test wait for ever. */
const timeoutMs = 180_000

/** Copies what tests need into a temporary directory. */
export async function makeTree(): Promise<Tree> {
  const root = await mkdtemp(join(tmpdir(), "cs-mutation-"))
  for (const name of copied) {
    await cp(join(repositoryRoot, name), join(root, name), { recursive: true })
  }
  await symlink(join(repositoryRoot, "node_modules"), join(root, "node_modules"))
  return {
    async slip({ file, find, replace }) {
      const path = join(root, "src", file)
      const text = await readFile(path, "utf8")
      const [before, after, ...others] = text.split(find)
      if (before === undefined || after === undefined || others.length > 0) return undefined
      await writeFile(path, `${before}${replace}${after}`)
      return () => writeFile(path, text)
    },
    failureOf: (testFiles) => runTests(root, testFiles),
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** One file after the other, until one fails. Each is a process of its own: hooks of one must not run in another. */
async function runTests(cwd: string, testFiles: readonly string[]): Promise<string | undefined> {
  for (const file of testFiles) {
    const output = await runTest(cwd, file)
    if (output !== undefined) return output
  }
  return undefined
}

function runTest(cwd: string, file: string): Promise<string | undefined> {
  const options = { cwd, timeout: timeoutMs, env: { ...process.env, RUNS: "1" } }
  return new Promise((resolve) => {
    execFile(process.execPath, [file], options, (error, stdout, stderr) => {
      resolve(error === null ? undefined : `${file}\n${stdout}${stderr}`)
    })
  })
}
