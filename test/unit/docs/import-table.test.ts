import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"
import {
  importsOf,
  sourceFiles,
  type SourceFile,
  type SourceImport,
} from "../../support/source-imports.ts"

// The same table as lint's, read from the page and checked in another way: one of the two could be wrong.

type Row = {
  /** `vault/policy/`, or `main` for a file. */
  readonly folder: string
  readonly mayImport: readonly string[]
  readonly mayImportAll: boolean
  readonly typesOnly: boolean
  readonly never: readonly string[]
}

const files = sourceFiles()
const imports = files.flatMap(importsOf)
const section = sectionOf(readRepositoryFile("ARCHITECTURE.md"), "Who may import whom")
const rows = tableRows(section).flatMap(([folders = "", may = "", never = ""]) =>
  codesIn(folders).map((folder): Row => ({
    folder,
    mayImport: codesIn(may),
    mayImportAll: may === "everything",
    typesOnly: may.includes("(types)"),
    never: never === "" ? [] : never.split(/, |: it /).filter((word) => !word.includes("checks")),
  })),
)

describe("the import table of ARCHITECTURE.md", () => {
  it("has a row for every source file", () => {
    assert.ok(files.length > 100 && rows.length > 8)
    for (const { file } of files) assert.doesNotThrow(() => rowOf(file), file)
  })

  it("names only what there is", () => {
    for (const { folder, mayImport } of rows) {
      for (const path of [folder, ...mayImport]) {
        assert.ok(
          files.some(({ file }) => isUnder(file, path)),
          path,
        )
      }
    }
  })

  for (const row of rows) {
    it(`holds for ${row.folder}`, () => {
      const own = imports.filter(({ file }) => rowOf(file) === row)
      assert.ok(own.length > 0 || row.folder === "std/" || row.folder === "version")
      assert.deepEqual(
        own.filter((found) => found.isOurs && !isAllowed(row, found)).map(textOf),
        [],
        "imports that the table doesn't allow",
      )
    })

    for (const word of row.never) {
      it(`keeps ${word} out of ${row.folder}`, () => {
        const under = files.filter(({ file }) => isUnder(file, row.folder))
        assert.deepEqual(under.flatMap(breachOf(word)), [])
      })
    }
  }

  it("leaves the curve to the keyring and the sandbox, and SQL to the ledger", () => {
    assert.match(section, /Only `vault\/keyring\/` and the sandbox import the curve\./)
    assert.match(section, /Only `vault\/ledger\/` imports `node:sqlite`\./)
    for (const { file, target } of imports) {
      if (target.startsWith("@noble/secp256k1")) assert.match(file, /^(vault\/keyring|sandbox)\//)
      if (target === "node:sqlite") assert.match(file, /^vault\/ledger\//)
    }
  })
})

describe("the table of private keys in ARCHITECTURE.md", () => {
  const keys = sectionOf(readRepositoryFile("ARCHITECTURE.md"), "Private keys in commands")
  const [prose = ""] = keys.split("\n\n|")
  const forAll = /\(([^)]+)\)/.exec(prose)?.[1] ?? ""
  const folders = tableRows(keys).map(([folder = "", modules = ""]) => ({
    folder: codesIn(folder).join(),
    modules: codesIn(modules),
  }))

  for (const { folder, modules } of folders) {
    it(`names just what ${folder} imports of the keyring`, () => {
      const inner = folders.map((row) => row.folder).filter((other) => other !== folder)
      const found = imports
        .filter(({ file }) => isUnder(file, folder) && !inner.some((path) => isInner(file, path)))
        .filter(({ target }) => target.startsWith("vault/keyring/"))
        .map(({ target }) => target.slice("vault/keyring/".length, -".ts".length))
        .filter((name) => !codesIn(forAll).includes(name))
      assert.deepEqual([...new Set(found)].sort(), [...modules].sort())
    })

    function isInner(file: string, path: string): boolean {
      return path.startsWith(folder) && isUnder(file, path)
    }
  }

  it("leaves the opening of a key store to the export of a key and to the doctor", () => {
    const openers = imports
      .filter(({ target, isTypeOnly }) => target === "vault/open-key-store.ts" && !isTypeOnly)
      .map(({ file }) => file)
      .filter((file) => file.startsWith("commands/"))
    assert.deepEqual(openers.sort(), [
      "commands/doctor/key-finding.ts",
      "commands/keys/export-key.ts",
    ])
  })
})

/** The row that says most about a file. @throws when none does. */
function rowOf(file: string): Row {
  const found = rows
    .filter(({ folder }) => isUnder(file, folder))
    .sort((a, b) => b.folder.length - a.folder.length)[0]
  assert.ok(found, `${file} is in the table`)
  return found
}

function isUnder(file: string, path: string): boolean {
  return path.endsWith("/") ? file.startsWith(path) : file === `${path}.ts`
}

function isAllowed(row: Row, { target, isTypeOnly }: SourceImport): boolean {
  if (row.mayImportAll || isUnder(target, row.folder)) return true
  const path = row.mayImport.find((allowed) => isUnder(target, allowed))
  if (path === undefined) return false
  // "`venue/` (types)" is about the last folder named.
  const isTypesFolder = row.typesOnly && path === row.mayImport.at(-1)
  return !isTypesFolder || isTypeOnly
}

const clock = /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bprocess\.(?:hrtime|uptime)\b/
const randomness = /\bMath\.random\b|\brandom(?:Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/

/** What each word of the column "and never" forbids. A new word fails until it is here. */
const modules: Readonly<Record<string, RegExp>> = {
  "`node:*`": /^node:/,
  SQLite: /^node:sqlite$/,
  HTTP: /^node:https?$|^node:http2$/,
  TLS: /^node:(?:tls|https|http2)$/,
  undici: /^undici/,
  Express: /^(?:express|helmet)/,
}
const texts: Readonly<Record<string, RegExp>> = { "a clock": clock, randomness }

function breachOf(word: string): (source: SourceFile) => readonly string[] {
  const folder = /^`([a-z/]+\/)`$/.exec(word)?.[1]
  const moduleName = modules[word]
  const text = texts[word]
  assert.ok(folder ?? moduleName ?? text, `"${word}" is a word that this test knows`)
  return (source) => {
    if (text !== undefined) return text.test(source.text) ? [source.file] : []
    return importsOf(source)
      .filter(({ target, isOurs }) =>
        folder === undefined
          ? moduleName?.test(target) === true
          : isOurs && target.startsWith(folder),
      )
      .map(textOf)
  }
}

function textOf({ file, target }: SourceImport): string {
  return `${file} imports ${target}`
}
