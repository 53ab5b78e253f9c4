import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

import {
  actionHash,
  addressWord,
  agentType,
  approveAgentType,
  canonicalJson,
  domainSeparator,
  signingHash,
  structHash,
  uintWord,
} from "../../../../src/sandbox/signing/typed-hash.ts"
import { readSignature, recoverAddress } from "../../../../src/sandbox/signing/admit.ts"
import { structOfBody } from "../../../../src/sandbox/signing/signed-play.ts"
import { toHex } from "../../../../src/std/bytes.ts"
import type { Fields } from "../signed-bodies.ts"

type Vector = {
  readonly name: string
  readonly signer_address: string
  readonly domain_separator: string
  readonly struct_hash: string
  readonly signing_hash: string
  readonly signature: unknown
}
type VectorA = Vector & {
  readonly action_tag: number
  readonly chain_id: number
  readonly business_fields: Fields
  readonly nonce: number
  readonly expires_after: number
  readonly canonical_json: string
  readonly action_hash: string
}
type VectorB = Vector & { readonly request: Fields & { readonly signature_chain_id: number } }

const typeA = readVectors("type-a") as readonly VectorA[]
const typeB = readVectors("type-b") as readonly VectorB[]

describe("the sandbox's own hashing", () => {
  for (const vector of typeA) {
    it(`agrees with the Type A vector "${vector.name}"`, () => {
      const canonical = canonicalJson(vector.business_fields)
      const action = actionHash(vector.action_tag, canonical)
      const struct = structHash(
        agentType,
        addressWord(vector.signer_address),
        action,
        uintWord(vector.nonce),
        uintWord(vector.expires_after),
      )
      assert.equal(canonical, vector.canonical_json)
      assert.equal(toHex(action), vector.action_hash)
      assertSigned(vector, domainSeparator(vector.chain_id), struct)
    })
  }

  for (const vector of typeB) {
    it(`agrees with the Type B vector "${vector.name}"`, () => {
      const struct = structOfBody(approveAgentType, {
        ...vector.request,
        signer_address: vector.signer_address,
      })
      assertSigned(vector, domainSeparator(vector.request.signature_chain_id), struct)
    })
  }

  it("sorts keys by their UTF-8 bytes, beyond the basic plane too", () => {
    assert.equal(canonicalJson({ "😀": 1, "｡": 2, a: 3 }), '{"a":3,"｡":2,"😀":1}')
  })

  it("keeps null, arrays' order and nested objects", () => {
    assert.equal(
      canonicalJson({ b: [2, { d: null, c: true }, 1], a: "\n" }),
      '{"a":"\\n","b":[2,{"c":true,"d":null},1]}',
    )
  })

  it("takes no address but one of 20 bytes", () => {
    assert.throws(() => addressWord(`0x${"11".repeat(19)}`), RangeError)
    assert.throws(() => addressWord(`0x${"11".repeat(21)}`), RangeError)
    assert.equal(addressWord(`0x${"11".repeat(20)}`).length, 32)
  })
})

function assertSigned(vector: Vector, domain: Uint8Array, struct: Uint8Array): void {
  const hash = signingHash(domain, struct)
  const signature = readSignature(vector.signature)
  assert.equal(toHex(domain), vector.domain_separator)
  assert.equal(toHex(struct), vector.struct_hash)
  assert.equal(toHex(hash), vector.signing_hash)
  assert.ok(signature.ok)
  assert.equal(recoverAddress(hash, signature.value), vector.signer_address.toLowerCase())
}

function readVectors(name: string): unknown {
  const file = new URL(`../../../vectors/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(file, "utf8"))
}
