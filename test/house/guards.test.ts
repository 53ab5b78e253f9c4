import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"

import { guards } from "../mutation/guards.ts"
import { repositoryRoot } from "../support/markdown.ts"

// `npm run test:mutation` tries them, which takes long; that they still say what they did is quickly seen.

describe("the guards of npm run test:mutation", () => {
  for (const { file, find, why, tests } of guards) {
    it(`find their text once, and their tests: ${file}, ${why}`, () => {
      const text = readFileSync(join(repositoryRoot, "src", file), "utf8")
      assert.equal(text.split(find).length - 1, 1, find)
      assert.ok(tests.length > 0)
      for (const test of tests) {
        assert.ok(existsSync(join(repositoryRoot, "test", `${test}.test.ts`)), test)
      }
    })
  }
})
