import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { writeEndpoints } from "../../../src/sandbox/answer-request.ts"
import { readPaths } from "../../../src/sandbox/reads.ts"
import { marketControlPaths } from "../../../src/sandbox/market-control.ts"
import { moods } from "../../../src/sandbox/market/price-path.ts"
import { marketReadPaths } from "../../../src/sandbox/market-reads.ts"
import { faultKinds } from "../../../src/sandbox/faults.ts"
import { codesIn, readRepositoryFile, sectionOf, tableRows } from "../../support/markdown.ts"

const page = readRepositoryFile("docs/sandbox.md")

describe("docs/sandbox.md", () => {
  it("lists every path that the sandbox plays, and no other", () => {
    const listed = tableRows(sectionOf(page, "What it plays")).flatMap(([path = ""]) =>
      codesIn(path),
    )
    const played = [...writeEndpoints.keys(), ...Object.values(readPaths)]
    assert.deepEqual([...listed].sort(), [...played].sort())
  })

  it("lists what there is with a market, and nothing else", () => {
    const listed = tableRows(sectionOf(page, "A market")).flatMap(([first = ""]) => codesIn(first))
    const paths = [...Object.values(marketReadPaths), ...Object.values(marketControlPaths)]
    const methods = paths.map((path) => `GET ${path}`)
    const named = [...methods, `POST ${marketControlPaths.market}`, ...Object.keys(moods)]
    const form = ["--market", "time,symbol,price"]
    assert.deepEqual(listed.filter((word) => !form.includes(word)).sort(), named.sort())
  })

  it("lists every kind of fault with its words", () => {
    const rows = tableRows(sectionOf(page, "Faults on demand"))
    const listed = rows.map(([kind = "", text]) => [codesIn(kind)[0], text])
    assert.deepEqual(Object.fromEntries(listed), faultKinds)
  })
})
