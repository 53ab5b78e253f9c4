import assert from "node:assert/strict"
import { readdirSync } from "node:fs"
import { it } from "node:test"

import { readRepositoryFile, repositoryRoot } from "../../support/markdown.ts"

const sources = readdirSync(`${repositoryRoot}/src`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => `src/${file}`)

it("leave Express to one file, as docs/decisions/gate.md says, and its parts of a path to nobody", () => {
  const using = sources.filter((file) => readRepositoryFile(file).includes(' from "express"'))
  assert.deepEqual(using, ["src/gate/app.ts"])
  const reading = sources.filter((file) =>
    /\b(?:request|req)\.(?:params|query|path|body)\b/.test(
      file.startsWith("src/gate/") ? readRepositoryFile(file) : "",
    ),
  )
  assert.deepEqual(reading, [])
})
