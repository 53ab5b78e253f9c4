import assert from "node:assert/strict"
import { existsSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, it } from "node:test"

import { codesIn, readRepositoryFile, repositoryRoot } from "../../support/markdown.ts"

const pages = [
  ...readdirSync(repositoryRoot),
  ...listed("docs"),
  ...listed("clients"),
  ...listed("examples"),
  ...listed("systemd"),
  ...listed("test/vectors"),
].filter((path) => path.endsWith(".md"))

describe("the documents", () => {
  for (const page of pages) {
    const text = readRepositoryFile(page)

    it(`lead to files and headings that there are, in ${page}`, () => {
      for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        const [path = "", anchor] = link.split("#")
        const target = path === "" ? page : join(dirname(page), path)
        assert.ok(existsSync(join(repositoryRoot, target)), link)
        if (anchor !== undefined) assert.ok(anchorsOf(target).includes(anchor), link)
      }
    })

    it(`name files that there are, in ${page}`, () => {
      for (const code of codesIn(text)) {
        if (!/^[a-z][\w/-]*\/[\w-]+\.(?:ts|md|js|yaml)$/.test(code)) continue
        const places = ["", "src", "src/vault", dirname(page)].map((from) => join(from, code))
        assert.ok(
          places.some((path) => existsSync(join(repositoryRoot, path))) || isMadeLater(code),
          code,
        )
      }
    })
  }
})

function listed(directory: string): readonly string[] {
  return readdirSync(join(repositoryRoot, directory), { recursive: true, encoding: "utf8" }).map(
    (name) => join(directory, name),
  )
}

/** A heading's anchor: lower case, without punctuation, words joined by hyphens. */
function anchorsOf(path: string): readonly string[] {
  return [...readRepositoryFile(path).matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, "")
      .replaceAll(/\s/g, "-"),
  )
}

/** Files of an installation, not of the repository. */
function isMadeLater(code: string): boolean {
  return code === "policies/bot.yaml"
}
