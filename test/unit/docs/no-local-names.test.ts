import assert from "node:assert/strict"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"

import { repositoryRoot } from "../../support/markdown.ts"

const notOurs = new Set([".git", "node_modules", "dist"])

/** What belongs to somebody's machine or network and not into a repository. Written so that they don't find themselves. */
const localNames = [
  { what: "a home directory", pattern: /\/(?:home|Users)\/\w|\/root\/|\\Users\\\w/ },
  { what: "a registry's host", pattern: /\b(?:registry|npm|packages)\.[\w-]+\.[a-z]{2,}\b/ },
  { what: "a registry's address", pattern: /\/\/[\w.:-]+\/(?:artifactory|repository|simple)\// },
]

describe("the repository", () => {
  const files = filesUnder(repositoryRoot).map((path) => ({
    path,
    text: readFileSync(path, "latin1"),
  }))

  for (const { what, pattern } of localNames) {
    it(`names ${what} in no file`, () => {
      assert.ok(files.length > 300)
      const found = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
      assert.deepEqual(found, [])
    })
  }

  it("names in no file where it is checked out or who did so", () => {
    // A short path such as /src could be anything's.
    const paths = [repositoryRoot, homedir()].filter((path) => path.split("/").length > 2)
    for (const local of paths) {
      const found = files.filter(({ text }) => text.includes(local)).map(({ path }) => path)
      assert.deepEqual(found, [])
    }
  })
})

function filesUnder(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => !notOurs.has(name))
    .map((name) => join(directory, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesUnder(path) : [path]))
}
