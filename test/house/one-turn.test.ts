import assert from "node:assert/strict"
import { join } from "node:path"
import { describe, it } from "node:test"

import ts from "typescript"

import { readRepositoryFile, repositoryRoot } from "../support/markdown.ts"

const file = join(repositoryRoot, "src/vault/request/sign-request.ts")
const source = readRepositoryFile("src/vault/request/sign-request.ts")
const head = "function decide(asked: Asked, vault: Vault): Decided {\n"

/** What the compiler says of how `decide` waits, were this its source. What it imports isn't looked at. */
function complaints(text: string): readonly number[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    noResolve: true,
    types: [],
  }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...others) =>
    name === file ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext) : read(name, ...others)
  const program = ts.createProgram([file], options, host)
  const from = text.indexOf("function decide(")
  const to = text.indexOf("\n}\n", from)
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .filter(({ start = 0 }) => start >= from && start < to)
    .map(({ code }) => code)
    .filter((code) => code === awaitOutside || code === noPromise)
}

/** "'await' expressions are only allowed within async functions …" */
const awaitOutside = 1308
/** "The return type of an async function or method must be the global Promise<T> type." */
const noPromise = 1064

describe("judging and reserving are one turn", () => {
  it("of which the compiler has nothing to say", () => {
    assert.ok(source.includes(head))
    assert.deepEqual(complaints(source), [])
  })

  it("so an await between them doesn't compile", () => {
    const waiting = source.replace(head, `${head}  await Promise.resolve()\n`)
    assert.deepEqual(complaints(waiting), [awaitOutside])
  })

  it("nor does it where the turn is made async", () => {
    const waiting = source.replace(head, `async ${head}  await Promise.resolve()\n`)
    assert.deepEqual(complaints(waiting), [noPromise])
  })
})
