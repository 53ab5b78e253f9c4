import { readdir, readFile } from "node:fs/promises"
import { stripTypeScriptTypes } from "node:module"
import { extname, join, sep } from "node:path"

import { programFolder } from "../../std/program-files.ts"

/** What a browser is given. */
type Asset = { readonly type: string; readonly text: string }

export type Assets = {
  readonly page: Asset
  /** Everything else that can be asked for, by its path. */
  readonly files: ReadonlyMap<string, Asset>
}

/** Sources in a checkout, and in a package what was made of them. */
const ownFolder = join(programFolder, "console/page")

/** Reads all that the console's page is made of. */
export async function readAssets(folder = ownFolder): Promise<Assets> {
  const own = await ownFiles(folder)
  const page = own.get(pageName)
  if (page === undefined) throw new Error(`${pageName} isn't in its folder.`)
  own.delete(pageName)
  const libraries = await Promise.all(
    [...libraryFiles()].map(async ([name, url]) => [name, await assetOf(name, url)] as const),
  )
  const files = [...own, ...libraries].map(([name, asset]) => [`/assets/${name}`, asset] as const)
  return { page, files: new Map(files) }
}

const pageName = "page.html"

/** What is served, by the end of its name; a source in TypeScript is stripped to the last of these. */
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".js": "text/javascript; charset=utf-8",
}

async function ownFiles(folder: string): Promise<Map<string, Asset>> {
  const files = new Map<string, Asset>()
  for (const path of await readdir(folder, { recursive: true })) {
    const name = path.replaceAll(sep, "/")
    if (extname(name) in types) files.set(name, await assetOf(name, join(folder, path)))
    if (!isSource(name)) continue
    const text = stripTypeScriptTypes(await readFile(join(folder, path), "utf8"))
    const script = { type: types[".js"] ?? "", text }
    // Sources import one another by their own names, and the page asks for what a package has.
    files.set(name, script).set(name.replace(/\.ts$/, ".js"), script)
  }
  return files
}

async function assetOf(name: string, place: string | URL): Promise<Asset> {
  return { type: types[extname(name)] ?? "", text: await readFile(place, "utf8") }
}

/** Of what only declares types there is nothing to run. */
function isSource(name: string): boolean {
  return name.endsWith(".ts") && !name.endsWith(".d.ts")
}

/**
 * The libraries of the console's page, by the names under which its code imports them: each file that is
 * needed, and no other. lit-html's are those for browsers; Node itself would be given others.
 */
export function libraryFiles(): ReadonlyMap<string, URL> {
  const litHtml = new URL("../", import.meta.resolve("lit-html"))
  return new Map([
    ["lib/lit-html.js", new URL("lit-html.js", litHtml)],
    ["lib/directive.js", new URL("directive.js", litHtml)],
    ["lib/directive-helpers.js", new URL("directive-helpers.js", litHtml)],
    ["lib/directives/repeat.js", new URL("directives/repeat.js", litHtml)],
    ["lib/uplot.js", new URL(import.meta.resolve("uplot/dist/uPlot.esm.js"))],
    ["lib/uplot.css", new URL(import.meta.resolve("uplot/dist/uPlot.min.css"))],
  ])
}
