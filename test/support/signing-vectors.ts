import assert from "node:assert/strict"

import { utf8 } from "../../src/std/bytes.ts"
import { approveAgentStruct } from "../../src/venue/builtin-profile.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../../src/venue/json.ts"
import { structValues } from "../../src/venue/payload/struct-body.ts"
import type { Domain, StructValues } from "../../src/venue/signing-hash.ts"
import { readRepositoryFile } from "./markdown.ts"
import { testProfile } from "./test-profile.ts"

// The worked examples of test/vectors, as its README tells.

export type Signed = {
  readonly name: string
  readonly private_key: string
  readonly signer_address: string
  readonly domain_separator: string
  readonly struct_hash: string
  readonly signing_hash: string
  readonly signature: { readonly r: string; readonly s: string; readonly v: number }
}
export type TypeA = Signed & {
  readonly action_tag: number
  readonly chain_id: number
  readonly business_fields: unknown
  readonly nonce: number
  readonly expires_after: number
  readonly canonical_json: string
  readonly action_hash: string
}
export type TypeB = Signed & { readonly request: { readonly signature_chain_id: number } }

export const typeA = readVectors("type-a.json") as readonly TypeA[]
export const typeB = readVectors("type-b.json") as readonly TypeB[]

/** The test profile's domain on another chain. */
export function domainOf(chainId: number): Domain {
  return { ...testProfile().domain, chainId: BigInt(chainId) }
}

export function agentValues(vector: TypeA): StructValues {
  return new Map<string, string | bigint>([
    ["signerAddress", vector.signer_address],
    ["actionHash", vector.action_hash],
    ["nonce", BigInt(vector.nonce)],
    ["expiresAfter", BigInt(vector.expires_after)],
  ])
}

export function approvalValues({ request, signer_address }: TypeB): StructValues {
  const values = structValues(approveAgentStruct, strictly({ ...request, signer_address }))
  assert.ok(values.ok)
  return values.value
}

/** Through the strict reader, as a bot's body comes in. */
export function strictly(value: unknown): JsonObject {
  const parsed = parseStrictJson(utf8(JSON.stringify(value)))
  assert.ok(parsed.ok && isJsonObject(parsed.value))
  return parsed.value
}

/** What a file below test/vectors has. */
export function readVectors(file: string): unknown {
  return JSON.parse(readRepositoryFile(`test/vectors/${file}`))
}
