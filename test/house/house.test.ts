import assert from "node:assert/strict"
import { dirname } from "node:path"
import { describe, it } from "node:test"

import { importsOf, sourceFiles } from "../support/source-imports.ts"
import { circlesIn, looseFiles, mutualFolders, readImports } from "./house.ts"

const maxLooseFiles = 24

/** Folders that know all of an open vault; what others need of it they name. */
const wholeVault: readonly string[] = ["vault"]

/** Folders that import each other, with the reason. */
const mutual: Readonly<Record<string, string>> = {
  "console/page ↔ console/page/views": "a view calls back, by the types of what is shown",
  "contract ↔ link/calls":
    "a call's result has the types of what is shown, and a freeze is shown as it is given back",
  "vault/ledger/records ↔ vault/process":
    "a reservation is asked for at the time that is made beside the clocks, and the log tells what was recorded",
}

describe("circlesIn", () => {
  const asImports = (arrows: Readonly<Record<string, readonly string[]>>) =>
    new Map(Object.entries(arrows).map(([from, to]) => [from, new Set(to)]))

  it("finds none where all imports lead one way", () => {
    assert.deepEqual(circlesIn(asImports({ a: ["b", "c"], b: ["c"], c: [] })), [])
  })

  it("finds a circle of two, and a longer one beside it", () => {
    const arrows = { a: ["b"], b: ["a", "c"], c: ["d"], d: ["e"], e: ["c"], f: ["a"] }
    const circles = circlesIn(asImports(arrows))
    assert.deepEqual(new Set(circles.map(String)), new Set(["a,b", "c,d,e"]))
  })
})

describe("the sources", () => {
  const imports = readImports()

  it("are all read", () => {
    assert.ok(imports.size > 400, String(imports.size))
    assert.ok(imports.get("vault/request/sign-request.ts")?.size)
  })

  it("import each other in no circle, types included", () => {
    assert.deepEqual(circlesIn(imports), [])
  })

  it(`lie in folders of at most ${maxLooseFiles} files`, () => {
    const full = [...looseFiles()].filter(([, count]) => count > maxLooseFiles)
    assert.deepEqual(full, [])
  })

  it("lie in folders that import each other only where a reason is given", () => {
    assert.deepEqual(mutualFolders(imports), Object.keys(mutual).sort())
  })

  it("know all of a vault only where one is opened and its parts are handed out", () => {
    const knowing = [...imports].filter(([, targets]) => targets.has("vault/vault.ts"))
    assert.deepEqual([...new Set(knowing.map(([file]) => dirname(file)))].sort(), wholeVault)
  })

  it("load PostgreSQL's part of the ledger only where a ledger is there, or is moved there", () => {
    const part = "vault/ledger/postgres/"
    const outside = sourceFiles().filter(
      ({ file }) => !file.startsWith(part) && file !== "commands/ledger-sql.ts",
    )
    const loading = outside.flatMap(importsOf).filter(({ target }) => target.startsWith(part))
    const atOnce = loading.filter(({ isTypeOnly, isDynamic }) => !isTypeOnly && !isDynamic)
    assert.deepEqual(atOnce, [])
    assert.deepEqual(
      loading.filter(({ isDynamic }) => isDynamic).map(({ file }) => file),
      ["vault/open-vault.ts"],
    )
  })
})
