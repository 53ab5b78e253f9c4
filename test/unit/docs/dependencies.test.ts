import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"
import { importsOf, sourceFiles } from "../../support/source-imports.ts"

type Package = Readonly<
  Record<
    "dependencies" | "optionalDependencies" | "devDependencies",
    Readonly<Record<string, string>>
  >
> & { readonly allowScripts: Readonly<Record<string, boolean>> }

type Lock = { readonly packages: Readonly<Record<string, Locked>> }
type Locked = Partial<Package> & {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly resolved?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

const manifest = JSON.parse(readRepositoryFile("package.json")) as Package
const lock = JSON.parse(readRepositoryFile("package-lock.json")) as Lock
const installed = Object.entries(lock.packages).filter(([path]) => path !== "")

const rows = tableRows(sectionOf(readRepositoryFile("ARCHITECTURE.md"), "Dependencies")).flatMap(
  ([names = "", where = "", why = ""]) =>
    codesIn(names).map((name) => ({ name, folders: where.split(", "), why })),
)

describe("dependencies", () => {
  it("have each its line in ARCHITECTURE.md that says why, and no line is left over", () => {
    const listed = rows.map(({ name }) => name)
    const { dependencies, optionalDependencies } = manifest
    const asked = Object.keys({ ...dependencies, ...optionalDependencies })
    assert.deepEqual([...listed].sort(), asked.sort())
    for (const { name, why } of rows) assert.ok(why.length > 0, name)
  })

  for (const { name, folders } of rows) {
    it(`have ${name} imported in ${folders.join(", ")} and nowhere else`, () => {
      const importers = sourceFiles()
        .flatMap(importsOf)
        .filter(({ target }) => target === name || target.startsWith(`${name}/`))
        .map(({ file }) => file)
      const isIn = (file: string, folder: string): boolean =>
        file.startsWith(`${folder}/`) || file === `${folder}.ts`
      for (const file of importers) {
        assert.ok(
          folders.some((folder) => isIn(file, folder)),
          file,
        )
      }
      for (const folder of folders) {
        assert.ok(
          importers.some((file) => isIn(file, folder)),
          folder,
        )
      }
    })
  }

  it("are asked for by exact version", () => {
    const { dependencies, optionalDependencies, devDependencies } = manifest
    for (const group of [dependencies, optionalDependencies, devDependencies]) {
      for (const [name, version] of Object.entries(group)) {
        assert.match(version, /^\d+\.\d+\.\d+$/, name)
      }
    }
  })

  it("are locked as they are asked for", () => {
    const { dependencies, optionalDependencies, devDependencies } = lock.packages[""] ?? {}
    assert.deepEqual(dependencies, manifest.dependencies)
    assert.deepEqual(optionalDependencies, manifest.optionalDependencies)
    assert.deepEqual(devDependencies, manifest.devDependencies)
  })

  it("are locked by integrity hash and by no host", () => {
    assert.ok(installed.length > 50)
    for (const [path, { resolved, integrity }] of installed) {
      assert.equal(resolved, undefined, path)
      assert.match(integrity ?? "", /^sha512-/, path)
    }
  })

  it("run no script when they are installed, apart from the one that brings Node for development: the others' are refused", () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    assert.deepEqual(
      scripted.map(([path, { dev, optional }]) => [path, dev === true, optional === true]),
      [
        ["node_modules/esbuild", true, false],
        ["node_modules/node", true, false],
        ["node_modules/secp256k1", false, true],
      ],
    )
    assert.deepEqual(manifest.allowScripts, { esbuild: false, node: true, secp256k1: false })
  })
})
