import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { agentStruct, approveAgentStruct } from "../../../src/venue/builtin-profile.ts"
import { typedData, type TypedData } from "../../../src/venue/typed-data.ts"
import { readRepositoryFile, sectionOf } from "../../support/markdown.ts"
import { agentValues, approvalValues, domainOf, readVectors, typeA, typeB, type TypeA, type TypeB } from "../../support/signing-vectors.ts"

type Named = { readonly name: string; readonly data: TypedData }
type Made = { readonly package: string; readonly call: string; readonly digests: readonly string[] }

const typed = readVectors("digests/typed-data.json") as readonly Named[]
const made = readVectors("digests/made.json") as readonly Made[]

describe("the digest that another package makes", () => {
  it("is of the typed data that is given to a wallet here", () => {
    const ours = [...typeA.map(agentData), ...typeB.map(approvalData)]
    assert.deepEqual(typed, ours)
  })

  for (const { package: by, call, digests } of made) {
    it(`is what is signed here: ${by}, ${call}`, () => {
      const signed = [...typeA, ...typeB].map((vector) => vector.signing_hash)
      assert.deepEqual(digests, signed)
    })
  }

  it("is in the table of docs/compatibility.md, and no other", () => {
    const page = readRepositoryFile("docs/compatibility.md")
    const section = sectionOf(page, "Libraries that make the same digests")
    const rows = section.split("\n").filter((line) => /^\| [@a-z].* \d+\.\d+/.test(line))
    const told = rows.map((line) => line.split("|").slice(1, 3).map((cell) => cell.trim()))
    assert.deepEqual(
      told,
      made.map(({ package: by, call }) => [by, `\`${call}\``]),
    )
  })
})

function agentData(vector: TypeA): Named {
  const data = typedData(domainOf(vector.chain_id), agentStruct, agentValues(vector))
  return { name: vector.name, data }
}

function approvalData(vector: TypeB): Named {
  const domain = domainOf(vector.request.signature_chain_id)
  return { name: vector.name, data: typedData(domain, approveAgentStruct, approvalValues(vector)) }
}
