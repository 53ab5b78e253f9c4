import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { importTable, isUnder, keyringOfCommands, modules } from "../../../lint/import-table.ts"
import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"
import {
  importsOf,
  sourceFiles,
  type SourceFile,
  type SourceImport,
} from "../../support/source-imports.ts"

// The page has the table that lint has; what it says is looked up in all imports once more.

type Row = {
  /** `vault/policy/`, or `main` for a file. */
  readonly folder: string
  readonly mayImport: readonly string[]
  readonly mayImportAll: boolean
  /** Of `mayImport`, what types alone may be imported of. */
  readonly typesOf: readonly string[]
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
    typesOf: codesIn(may.split("types of ")[1] ?? ""),
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

  it("says what lint has", () => {
    const told = rows.map(({ folder, mayImport, mayImportAll, typesOf }) => {
      const may = mayImportAll ? "everything" : mayImport.filter((path) => !typesOf.includes(path))
      return { path: folder, may, types: typesOf }
    })
    const inLint = importTable.map(({ path, may, types = [] }) => ({ path, may, types }))
    assert.deepEqual(sorted(told), sorted(inLint))
    for (const { path, never = [] } of importTable) {
      const found = rows.find(({ folder }) => folder === path)?.never ?? []
      assert.deepEqual(
        never,
        found.filter((word) => word in modules),
      )
    }
  })

  for (const row of rows) {
    it(`holds for ${row.folder}`, () => {
      const own = imports.filter(({ file }) => rowOf(file) === row)
      assert.ok(own.length > 0 || row.folder === "std/")
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

  it("leaves the curve to the keyring and the sandbox, and SQL to the ledger and its audit", () => {
    assert.match(section, /Only `vault\/keyring\/` and the sandbox import the curve\./)
    assert.match(section, /Only `vault\/ledger\/` and `audit\/`.* import `node:sqlite`\./)
    for (const { file, target } of imports) {
      if (target.startsWith("@noble/secp256k1")) assert.match(file, /^(vault\/keyring|sandbox)\//)
      if (target === "node:sqlite") assert.match(file, /^(vault\/ledger|audit)\//)
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

  it("says what lint has", () => {
    const told = folders.map((row) => ({ path: row.folder, modules: row.modules.toSorted() }))
    const inLint = keyringOfCommands.map(({ path, modules: names }) => ({
      path,
      modules: names.toSorted(),
    }))
    assert.deepEqual(told, inLint)
  })

  for (const { folder, modules: names } of folders) {
    it(`names just what ${folder} imports of the keyring`, () => {
      const inner = folders.map((row) => row.folder).filter((other) => other !== folder)
      const found = imports
        .filter(({ file }) => isUnder(file, folder) && !inner.some((path) => isInner(file, path)))
        .filter(({ target }) => target.startsWith("vault/keyring/"))
        .map(({ target }) => target.slice("vault/keyring/".length, -".ts".length))
        .filter((name) => !codesIn(forAll).includes(name))
      assert.deepEqual([...new Set(found)].sort(), [...names].sort())
    })

    function isInner(file: string, path: string): boolean {
      return path.startsWith(folder) && isUnder(file, path)
    }
  }

  it("leaves the opening of a key store to the export of a key and to the doctor", () => {
    const openers = imports
      .filter(
        ({ target, isTypeOnly }) => target === "vault/custody/open-key-store.ts" && !isTypeOnly,
      )
      .map(({ file }) => file)
      .filter((file) => file.startsWith("commands/"))
    assert.deepEqual(openers.sort(), ["commands/doctor/key-findings.ts", "commands/keys/export.ts"])
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

function sorted<Each extends { readonly path: string }>(list: readonly Each[]): readonly Each[] {
  return list.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

function isAllowed(row: Row, { target, isTypeOnly }: SourceImport): boolean {
  if (row.mayImportAll || isUnder(target, row.folder)) return true
  const path = row.mayImport.find((allowed) => isUnder(target, allowed))
  if (path === undefined) return false
  return !row.typesOf.includes(path) || isTypeOnly
}

const clock = /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bprocess\.(?:hrtime|uptime)\b/
const randomness = /\bMath\.random\b|\brandom(?:Bytes|UUID|Int|FillSync)\b|\bgetRandomValues\b/

/** What the words of the column "and never" forbid that no import shows. A new word fails until it is known. */
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
