import assert from "node:assert/strict"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import { libraryFiles, readAssets } from "../../../../src/console/serve/read-assets.ts"
import { temporaryDirectory } from "../../../support/link-peer.ts"
import { repositoryRoot } from "../../../support/markdown.ts"

/** A folder with files of these names and texts. */
function folder(t: TestContext, files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory()
  t.after(() => directory.remove())
  const { path } = directory
  mkdirSync(join(path, "views"))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

const libraries = [...libraryFiles().keys()].map((name) => `/assets/${name}`)

describe("the console's assets", () => {
  it("are the page, its styles, pictures and scripts, and the libraries: no other file of the folder", async (t) => {
    const path = folder(t, {
      "page.html": "<p>",
      "style.css": "p {}",
      "icon.svg": "<svg/>",
      "main.ts": 'import { a } from "./views/a.ts"\nexport const b: string = a\n',
      "views/a.ts": 'import type { B } from "./b.ts"\nexport const a = "a" as B\n',
      "types.d.ts": "export type A = string\n",
      "notes.md": "",
      "tsconfig.json": "{}",
      ".env": "",
    })
    const { page, files } = await readAssets(path)
    assert.deepEqual(page, { type: "text/html; charset=utf-8", text: "<p>" })
    const own = ["icon.svg", "main.js", "main.ts", "style.css", "views/a.js", "views/a.ts"].map(
      (name) => `/assets/${name}`,
    )
    assert.deepEqual([...files.keys()].sort(), [...own, ...libraries].sort())
    assert.deepEqual(files.get("/assets/style.css"), {
      type: "text/css; charset=utf-8",
      text: "p {}",
    })
    assert.equal(files.get("/assets/icon.svg")?.type, "image/svg+xml")
  })

  it("have sources without their types, under the name that a package has too", async (t) => {
    const source = 'import type { A } from "./a.ts"\nexport const b: A = 1 as A\n'
    const { files } = await readAssets(folder(t, { "page.html": "", "main.ts": source }))
    const script = files.get("/assets/main.js")
    assert.equal(script?.type, "text/javascript; charset=utf-8")
    assert.equal(script.text.replaceAll(/\s+/g, " ").trim(), "export const b = 1")
    assert.deepEqual(files.get("/assets/main.ts"), script)
  })

  it("have scripts of a package as they are", async (t) => {
    const text = "export const b = 1\n"
    const { files } = await readAssets(folder(t, { "page.html": "", "main.js": text }))
    assert.deepEqual(files.get("/assets/main.js"), { type: "text/javascript; charset=utf-8", text })
    assert.equal(files.has("/assets/main.ts"), false)
  })

  it("can't be had without a page", async (t) => {
    await assert.rejects(readAssets(folder(t, { "main.ts": "" })), /page\.html/)
    await assert.rejects(readAssets("/nowhere"), /ENOENT/)
  })

  it("are all that the page and its scripts ask for", async () => {
    const { page, files } = await readAssets()
    const linked = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)]
    assert.ok(linked.length > 1)
    for (const [, name = ""] of linked) assert.ok(files.has(name), name)
    for (const [name, { type, text }] of files) {
      if (!type.startsWith("text/javascript")) continue
      for (const [, path = ""] of text.matchAll(/\b(?:from|import)\s*\(?["']([\w./@-]+)["']/g)) {
        const imported = new URL(path, `http://console${name}`).pathname
        assert.ok(path.startsWith(".") && files.has(imported), `${name} imports ${path}`)
      }
    }
  })

  it("have lit-html as it is for browsers", async () => {
    const { files } = await readAssets()
    const place = join(repositoryRoot, "node_modules/lit-html/lit-html.js")
    assert.equal(files.get("/assets/lib/lit-html.js")?.text, readFileSync(place, "utf8"))
  })
})
