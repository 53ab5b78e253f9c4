import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { clientContract } from "../../../packaging/openapi/client-contract.ts"
import { readRepositoryFile } from "../../support/markdown.ts"

type Document = {
  readonly paths: Readonly<Record<string, object>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

describe("the types of countersign/client", () => {
  it("have each schema of docs/openapi.json, and the body of each of the venue's paths", async () => {
    const { paths, components } = JSON.parse(readRepositoryFile("docs/openapi.json")) as Document
    const written = Object.keys(paths).filter(
      (path) => path.startsWith("/v1/") && "post" in paths[path]!,
    )
    assert.ok(written.length > 10)
    const text = await clientContract()
    const named = (indent: number): readonly string[] =>
      [...text.matchAll(new RegExp(`^ {${indent}}readonly "?([^":]+)"?:`, "gm"))].map(
        ([, name = ""]) => name,
      )
    assert.deepEqual(named(8), [...Object.keys(components.schemas), "WriteBodies"])
    assert.deepEqual(
      named(12).filter((name) => name.startsWith("/")),
      written,
    )
  })
})
