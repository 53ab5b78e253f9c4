import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { exitCodes } from "../../../src/commands/cli/exit-code.ts"
import { acts, statuses } from "../../../src/gate/http/problem.ts"
import { denialReasons } from "../../../src/vault/policy/terms.ts"
import { fieldRules } from "../../../src/venue/payload/payload.ts"
import { orderRules } from "../../../src/venue/payload/order-rules.ts"
import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"

const page = readRepositoryFile("docs/error-codes.md")

/** The rows under a heading, each with the one word that its first cell shows. */
function documented(title: string): readonly { readonly word: string; readonly cell: string }[] {
  return tableRows(sectionOf(page, title)).map(([first = "", second = ""]) => {
    const [word = "", ...others] = codesIn(first)
    assert.equal(`\`${word}\``, first, `${first} is one word`)
    assert.deepEqual(others, [])
    return { word, cell: second }
  })
}

function assertSameWords(title: string, words: readonly string[]): void {
  const found = documented(title).map(({ word }) => word)
  assert.deepEqual([...found].sort(), [...words].sort())
}

describe("docs/error-codes.md", () => {
  it("lists every HTTP code with its status, and no other", () => {
    const found = documented("HTTP codes").map(({ word, cell }) => [word, Number(cell)])
    assert.equal(found.length, Object.keys(statuses).length, "no code twice")
    assert.deepEqual(Object.fromEntries(found), statuses)
  })

  it("lists what to do about every HTTP code, and no other", () => {
    const found = tableRows(sectionOf(page, "What to do")).flatMap(([word = "", , codes = ""]) => {
      return codesIn(codes).map((code) => [code, codesIn(word)[0]])
    })
    assert.equal(found.length, Object.keys(acts).length, "no code twice")
    assert.deepEqual(Object.fromEntries(found), acts)
  })

  it("lists every reason of a denial, and no other", () => {
    assertSameWords("Reasons of policy_denied", denialReasons)
  })

  it("lists every rule of one field, and no other", () => {
    assertSameWords("Of one field", fieldRules)
  })

  it("lists every rule of several fields, and no other", () => {
    assertSameWords("Of several fields of an order", orderRules)
  })

  it("lists every rule that the vault adds, and no other", () => {
    const sources = ["src/vault/request/authorize.ts", "src/vault/request/parse-request.ts"]
    const rules = sources
      .flatMap((path) => [...readRepositoryFile(path).matchAll(/\brule: "(\w+)"/g)])
      .map(([, rule]) => rule ?? "")
    assertSameWords("Of the signing fields", [...new Set(rules)])
  })

  it("lists every rule of batches, and no other", () => {
    const source = readRepositoryFile("src/vault/request/sign-batch.ts")
    const rules = [...source.matchAll(/\brule: "(\w+)"/g)].map(([, rule]) => rule ?? "")
    assertSameWords("Of the body of POST /sign/batch", rules)
  })

  it("lists every rule of prices that are fed, and no other", () => {
    const source = readRepositoryFile("src/vault/operator/price-methods.ts")
    const rules = [...source.matchAll(/\brule: "(\w+)"/g)].map(([, rule]) => rule ?? "")
    const words = rules.filter((rule) => rule !== "price_poll") // told to the gate alone
    const fields = [...source.matchAll(/field: ((?:"\w+"(?: \| )?)+)/g)].flatMap(([, union = ""]) =>
      union.split(" | ").map((field) => `price_${field.replaceAll('"', "")}`),
    )
    assertSameWords("Of the body of POST /prices", [...words, ...fields])
  })

  it("lists every code of the command line with its exit code, and no other", () => {
    const found = documented("Exit codes of the command line")
    assert.equal(found.length, Object.keys(exitCodes).length, "no code twice")
    assert.deepEqual(
      Object.fromEntries(found.map(({ word, cell }) => [word, Number(cell)])),
      exitCodes,
    )
  })

  it("says what each word means", () => {
    for (const cells of tableRows(page)) {
      assert.ok((cells.at(-1) ?? "").length > 0, `${cells[0] ?? ""} has a meaning`)
    }
  })
})
