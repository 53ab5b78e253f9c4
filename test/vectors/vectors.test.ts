import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

import * as secp256k1 from "@noble/secp256k1"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"

import { fromHex, toHex, utf8 } from "../../src/std/bytes.ts"
import { addressOfPublicKey, parseAddress, type Address } from "../../src/venue/address.ts"
import { agentStruct, approveAgentStruct, placeOrderTag } from "../../src/venue/endpoints.ts"
import { isJsonObject, type JsonObject, parseStrictJson } from "../../src/venue/json.ts"
import { structValues } from "../../src/venue/payload/struct-body.ts"
import { canonicalJson, actionHash, typeADigest, typeBDigest, domainSeparator, hashStruct, type StructValues } from "../../src/venue/signing-hash.ts"
import { testProfile } from "../support/test-profile.ts"

secp256k1.hashes.sha256 = sha256
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

type Signed = {
  readonly name: string
  readonly private_key: string
  readonly signer_address: string
  readonly domain_separator: string
  readonly struct_hash: string
  readonly signing_hash: string
  readonly signature: { readonly r: string; readonly s: string; readonly v: number }
}
type TypeA = Signed & {
  readonly action_tag: number
  readonly chain_id: number
  readonly business_fields: unknown
  readonly nonce: number
  readonly expires_after: number
  readonly canonical_json: string
  readonly action_hash: string
}
type TypeB = Signed & { readonly request: { readonly signature_chain_id: number } }

const { domain, canonicalForm } = testProfile()
const typeA = readVectors("type-a.json") as readonly TypeA[]
const typeB = readVectors("type-b.json") as readonly TypeB[]

describe("the signing vectors", () => {
  it("are all there", () => {
    assert.deepEqual([typeA.length, typeB.length], [6, 3])
  })

  for (const vector of typeA) {
    it(`hold for Type A: ${vector.name}`, () => {
      const canonical = canonicalJson(strictly(vector.business_fields), canonicalForm)
      assert.equal(canonical, vector.canonical_json)
      assert.equal(vector.action_tag, placeOrderTag)
      const action = actionHash(vector.action_tag, canonical)
      assert.equal(toHex(action), vector.action_hash)

      const chainDomain = { ...domain, chainId: BigInt(vector.chain_id) }
      assert.equal(toHex(domainSeparator(chainDomain)), vector.domain_separator)
      const signer = addressOf(vector.signer_address)
      const message: StructValues = new Map<string, string | bigint>([
        ["signerAddress", signer],
        ["actionHash", toHex(action)],
        ["nonce", BigInt(vector.nonce)],
        ["expiresAfter", BigInt(vector.expires_after)],
      ])
      assert.equal(toHex(hashStruct(agentStruct, message)), vector.struct_hash)

      const digest = typeADigest({
        domain: chainDomain,
        struct: agentStruct,
        parties: { signer, target: undefined },
        actionHash: action,
        validity: { nonce: vector.nonce, expiresAfterMs: vector.expires_after },
      })
      assertSigned(digest, vector)
    })
  }

  for (const vector of typeB) {
    it(`hold for Type B: ${vector.name}`, () => {
      const request = strictly({ ...vector.request, signer_address: vector.signer_address })
      const values = structValues(approveAgentStruct, request)
      assert.ok(values.ok)
      const chainDomain = { ...domain, chainId: BigInt(vector.request.signature_chain_id) }
      assert.equal(toHex(domainSeparator(chainDomain)), vector.domain_separator)
      assert.equal(toHex(hashStruct(approveAgentStruct, values.value)), vector.struct_hash)
      assertSigned(typeBDigest(chainDomain, approveAgentStruct, values.value), vector)
    })
  }
})

/** RFC 6979 leaves one signature for a key and a digest, so it must be the vector's. */
function assertSigned(digest: Uint8Array, vector: Signed): void {
  assert.equal(toHex(digest), vector.signing_hash)
  const secret = fromHex(vector.private_key)!
  const publicKey = secp256k1.getPublicKey(secret, false)
  assert.equal(addressOfPublicKey(publicKey), vector.signer_address)
  const bytes = secp256k1.sign(digest, secret, { prehash: false, format: "recovered" })
  const signature = {
    r: toHex(bytes.subarray(1, 33)),
    s: toHex(bytes.subarray(33)),
    v: 27 + bytes[0]!,
  }
  assert.deepEqual(signature, vector.signature)
}

/** Through the strict reader, as a bot's body comes in. */
function strictly(value: unknown): JsonObject {
  const parsed = parseStrictJson(utf8(JSON.stringify(value)))
  assert.ok(parsed.ok && isJsonObject(parsed.value))
  return parsed.value
}

function addressOf(text: string): Address {
  const address = parseAddress(text)
  assert.ok(address)
  return address
}

function readVectors(file: string): unknown {
  return JSON.parse(readFileSync(new URL(file, import.meta.url), "utf8"))
}
