import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { pythonContract } from "../../../packaging/openapi/python-contract.ts"
import { PythonTypes } from "../../../packaging/openapi/python-types.ts"
import { readRepositoryFile } from "../../support/markdown.ts"

describe("the package of the Python client", () => {
  it("has the types that docs/openapi.json makes; npm run openapi writes them", () => {
    const path = "clients/python/countersign_client/contract.py"
    assert.equal(readRepositoryFile(path), pythonContract())
  })

  it("has the version of package.json, and needs no other package", () => {
    const { version } = JSON.parse(readRepositoryFile("package.json")) as { version: string }
    const project = readRepositoryFile("clients/python/pyproject.toml")
    assert.equal(/^version = "(.*)"$/m.exec(project)?.[1], version)
    assert.match(project, /^dependencies = \[\]$/m)
  })
})

describe("types in Python", () => {
  const made = (schemas: ConstructorParameters<typeof PythonTypes>[0]): string => {
    const types = new PythonTypes(schemas)
    for (const name of Object.keys(schemas)) types.define(name)
    return types.text
  }
  const text = { type: "string" } as const

  it("are a dictionary of an object, with a base for what is always there", () => {
    const properties = { a: text, b: { type: ["integer", "null"] } } as const
    const thing = { type: "object", properties, required: ["a"], additionalProperties: false }
    assert.equal(
      made({ Thing: thing }),
      [
        ...["class _Thing(TypedDict):", "    a: str", "", ""],
        ...["class Thing(_Thing, total=False):", "    b: Optional[int]", ""],
      ].join("\n"),
    )
  })

  it("are written as a call where a field is a word of Python", () => {
    const thing = { type: "object", properties: { for: text }, required: ["for"] }
    const lines = ["Thing = TypedDict(", '    "Thing",', "    {", '        "for": str,', "    },"]
    assert.equal(made({ Thing: thing }), [...lines, ")", ""].join("\n"))
  })

  it("stand before what names them, each once", () => {
    const inner = { type: "object", properties: { a: text }, required: ["a"] }
    const list = { type: "array", items: { $ref: "#/components/schemas/Inner" } }
    const outer = { type: "object", properties: { list, same: inner }, required: ["list", "same"] }
    assert.equal(
      made({ Outer: outer, Inner: inner }),
      [
        ...["class Inner(TypedDict):", "    a: str", "", ""],
        ...["class Outer(TypedDict):", "    list: Sequence[Inner]", "    same: Inner", ""],
      ].join("\n"),
    )
  })

  it("aren't made of what isn't understood", () => {
    assert.throws(() => made({ Thing: { type: "number" } }), /Thing has a type/)
    assert.throws(() => made({ Thing: { $ref: "#/components/schemas/None" } }), /no schema None/)
  })
})
