import assert from "node:assert/strict"
import { describe, it } from "node:test"
import * as secp256k1 from "@noble/secp256k1"
import { hmac } from "@noble/hashes/hmac.js"
import { sha256 } from "@noble/hashes/sha2.js"

import { fromHex, toHex } from "../../src/std/bytes.ts"
import { addressOfPublicKey, parseAddress, type Address } from "../../src/venue/address.ts"
import { agentStruct, approveAgentStruct, placeOrderTag } from "../../src/venue/builtin-profile.ts"
import { canonicalJson, actionHash, typeADigest, typeBDigest, domainSeparator, hashStruct } from "../../src/venue/signing-hash.ts"
import { agentValues, approvalValues, domainOf, strictly, typeA, typeB, type Signed } from "../support/signing-vectors.ts"
import { testProfile } from "../support/test-profile.ts"

secp256k1.hashes.sha256 = sha256
secp256k1.hashes.hmacSha256 = (key, message) => hmac(sha256, key, message)

const { canonicalForm } = testProfile()

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

      const chainDomain = domainOf(vector.chain_id)
      assert.equal(toHex(domainSeparator(chainDomain)), vector.domain_separator)
      const signer = addressOf(vector.signer_address)
      assert.equal(toHex(hashStruct(agentStruct, agentValues(vector))), vector.struct_hash)

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
      const values = approvalValues(vector)
      const chainDomain = domainOf(vector.request.signature_chain_id)
      assert.equal(toHex(domainSeparator(chainDomain)), vector.domain_separator)
      assert.equal(toHex(hashStruct(approveAgentStruct, values)), vector.struct_hash)
      assertSigned(typeBDigest(chainDomain, approveAgentStruct, values), vector)
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

function addressOf(text: string): Address {
  const address = parseAddress(text)
  assert.ok(address)
  return address
}
