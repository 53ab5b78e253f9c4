// Breaks one guard after the other in a copy of the tree, and sees that a test notices.
// `npm run test:mutation [-- WORD]` tries all, or those whose file or reason holds the word.

import { existsSync } from "node:fs"
import { join } from "node:path"

import { repositoryRoot } from "../support/markdown.ts"
import { type Guard } from "./guard.ts"
import { guards } from "./guards.ts"
import { makeTree, type Tree } from "./tree.ts"

type Tried = { readonly guard: Guard; readonly outcome: "killed" | "SURVIVED" | "BROKEN" }

const concurrency = 2
const [word = ""] = process.argv.slice(2)
const wanted = guards.filter(({ file, why }) => file.includes(word) || why.includes(word))

process.exitCode = (await tryAll()) ? 0 : 1

async function tryAll(): Promise<boolean> {
  const missing = missingTests()
  for (const path of missing) print(`there is no ${path}`)
  if (missing.length > 0 || wanted.length === 0) return false

  const trees = await Promise.all(Array.from({ length: concurrency }, makeTree))
  const [first] = trees
  try {
    if (first === undefined || !(await isSound(first))) return false
    const left = [...wanted]
    const tried = (await Promise.all(trees.map((tree) => tryNext(tree, left)))).flat()
    return report(tried)
  } finally {
    await Promise.all(trees.map((tree) => tree.remove()))
  }
}

/** Tests must pass before a failure says anything. */
async function isSound(tree: Tree): Promise<boolean> {
  const output = await tree.failureOf(wantedTests())
  if (output !== undefined) print(`the tests fail without any slip:\n${output}`)
  return output === undefined
}

async function tryNext(tree: Tree, left: Guard[]): Promise<readonly Tried[]> {
  const tried: Tried[] = []
  for (let guard = left.shift(); guard !== undefined; guard = left.shift()) {
    const outcome = await tryGuard(tree, guard)
    print(`${outcome.padEnd(8)}  ${guard.file}  ${guard.why}`)
    tried.push({ guard, outcome })
  }
  return tried
}

async function tryGuard(tree: Tree, guard: Guard): Promise<Tried["outcome"]> {
  const restore = await tree.slip(guard)
  if (restore === undefined) return "BROKEN" // the file doesn't hold the text once
  try {
    const output = await tree.failureOf(guard.tests.map(testFile))
    if (output === undefined) return "SURVIVED"
    // A slip that can't be read would be noticed whatever the tests say.
    return /SyntaxError|ERR_INVALID_TYPESCRIPT_SYNTAX|is not defined/.test(output)
      ? "BROKEN"
      : "killed"
  } finally {
    await restore()
  }
}

function report(tried: readonly Tried[]): boolean {
  const count = (outcome: Tried["outcome"]) =>
    tried.filter((each) => each.outcome === outcome).length
  print(`\n${count("killed")} killed, ${count("SURVIVED")} survived, ${count("BROKEN")} broken`)
  return count("killed") === wanted.length
}

function missingTests(): readonly string[] {
  return wantedTests().filter((path) => !existsSync(join(repositoryRoot, path)))
}

function wantedTests(): readonly string[] {
  return [...new Set(wanted.flatMap(({ tests }) => tests.map(testFile)))]
}

function testFile(name: string): string {
  return `test/${name}.test.ts`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
