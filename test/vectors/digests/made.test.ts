import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { agentStruct, approveAgentStruct } from "../../../src/venue/endpoints.ts"
import { isJsonObject, parseStrictJson } from "../../../src/venue/json.ts"
import { structValues } from "../../../src/venue/payload/struct-body.ts"
import type { StructValues } from "../../../src/venue/signing-hash.ts"
import { typedData, type TypedData } from "../../../src/venue/typed-data.ts"
import { utf8 } from "../../../src/std/bytes.ts"
import { readRepositoryFile, sectionOf } from "../../support/markdown.ts"
import { testProfile } from "../../support/test-profile.ts"

type Vector = { readonly name: string; readonly signer_address: string; readonly signing_hash: string }
type TypeA = Vector & {
  readonly chain_id: number
  readonly action_hash: string
  readonly nonce: number
  readonly expires_after: number
}
type TypeB = Vector & { readonly request: { readonly signature_chain_id: number } }
type Named = { readonly name: string; readonly data: TypedData }
type Made = { readonly package: string; readonly call: string; readonly digests: readonly string[] }

const { domain } = testProfile()
const typeA = read("type-a.json") as readonly TypeA[]
const typeB = read("type-b.json") as readonly TypeB[]
const typed = read("digests/typed-data.json") as readonly Named[]
const made = read("digests/made.json") as readonly Made[]

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

function agentData({ name, ...vector }: TypeA): Named {
  const message: StructValues = new Map<string, string | bigint>([
    ["signerAddress", vector.signer_address],
    ["actionHash", vector.action_hash],
    ["nonce", BigInt(vector.nonce)],
    ["expiresAfter", BigInt(vector.expires_after)],
  ])
  return { name, data: typedData({ ...domain, chainId: BigInt(vector.chain_id) }, agentStruct, message) }
}

function approvalData({ name, request, signer_address }: TypeB): Named {
  const parsed = parseStrictJson(utf8(JSON.stringify({ ...request, signer_address })))
  assert.ok(parsed.ok && isJsonObject(parsed.value))
  const values = structValues(approveAgentStruct, parsed.value)
  assert.ok(values.ok)
  const chain = { ...domain, chainId: BigInt(request.signature_chain_id) }
  return { name, data: typedData(chain, approveAgentStruct, values.value) }
}

function read(file: string): unknown {
  return JSON.parse(readRepositoryFile(`test/vectors/${file}`))
}
