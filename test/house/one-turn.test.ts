import assert from "node:assert/strict"
import { describe, it } from "node:test"

import ts from "typescript"

import { readRepositoryFile } from "../support/markdown.ts"

const request = readRepositoryFile("src/vault/request/sign-request.ts")
const ledger = readRepositoryFile("src/vault/ledger/ledger.ts")

/** What the compiler says of a text: a code for each mistake. What it imports isn't looked at. */
function complaints(text: string): readonly number[] {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    noResolve: true,
    types: [],
    strict: true,
  }
  const host = ts.createCompilerHost(options)
  const read = host.getSourceFile.bind(host)
  host.getSourceFile = (name, ...others) =>
    name === "turn.ts"
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ESNext)
      : read(name, ...others)
  const program = ts.createProgram(["turn.ts"], options, host)
  return program.getSemanticDiagnostics(program.getSourceFile("turn.ts")).map(({ code }) => code)
}

/** "'await' expressions are only allowed within async functions …" */
const awaitOutside = 1308
/** "The return type of an async function or method must be the global Promise<T> type." */
const noPromise = 1064
/** "Type 'Promise<…>' is not assignable to type …" */
const notAssignable = 2322

describe("judging and taking are one turn of the ledger", () => {
  for (const name of ["signInTurn", "judgeAndTake"]) {
    const head = `function ${name}(`
    const body = request.indexOf(" {\n", request.indexOf(head)) + 3

    it(`so an await in ${name} doesn't compile`, () => {
      assert.ok(request.includes(head))
      const waiting = `${request.slice(0, body)}  await Promise.resolve()\n${request.slice(body)}`
      assert.ok(!complaints(request).includes(awaitOutside))
      assert.ok(complaints(waiting).includes(awaitOutside))
    })
  }

  it("nor does a step that is made async", () => {
    const head = "function signInTurn("
    assert.ok(complaints(request.replace(head, `async ${head}`)).includes(noPromise))
  })

  const [decide = ""] = /^ {2}decide<Made>\([^]*?\): Promise<Made>$/m.exec(ledger) ?? []
  const taking = (step: string) =>
    `type Ledger = {\n${decide.replace(/readonly IdempotencyKey\[\]/, "[]").replace("LedgerTurn", "number")}\n}
     declare const ledger: Ledger
     export const made: Promise<number> = ledger.decide([], ${step})`

  it("and the ledger takes no step that waits", () => {
    assert.notEqual(decide, "")
    assert.deepEqual(complaints(taking("(turn) => () => turn")), [])
    assert.deepEqual(complaints(taking("async (turn) => () => turn")), [notAssignable])
  })
})
