import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { maxFrameBytes } from "../../../../src/link/wire.ts"
import type { Refusal } from "../../../../src/contract/refusal.ts"
import { utf8 } from "../../../../src/std/bytes.ts"
import { splitBody } from "../../../../src/vault/request/parse-request.ts"
import { invalidRequest } from "../../../../src/vault/request/refuse.ts"
import { fieldError } from "../../../../src/venue/payload/payload.ts"
import { maxFieldErrors } from "../../../../src/venue/payload/parse-payload.ts"

const lower = "0x2c7536e3605d9c16a7a3d7b1898e529396a65c23"
const checksummed = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

function split(text: string) {
  return splitBody(Buffer.from(utf8(text)).toString("base64"))
}

function splitOf(text: string) {
  const read = split(text)
  assert.ok(read.ok)
  return read.value
}

function refusalOf(text: string): Refusal {
  const read = split(text)
  assert.ok(!read.ok)
  return read.error
}

function brokenRules(text: string): readonly string[] {
  const refusal = refusalOf(text)
  assert.ok(refusal.code === "invalid_request")
  return refusal.data.errors.map(({ path, rule }) => `${path} ${rule}`)
}

describe("splitting a body", () => {
  it("parts what is wanted from who signs and for whom", () => {
    const split = splitOf(
      `{"quantity":"1","signer_address":"${lower}","price":"2","target_address":"${lower}"}`,
    )
    assert.equal(JSON.stringify(split.business), '{"quantity":"1","price":"2"}')
    assert.deepEqual([split.signer, split.target], [checksummed, checksummed])
  })

  it("knows neither signer nor target where the body names none", () => {
    const { signer, target } = splitOf('{"quantity":"1"}')
    assert.deepEqual([signer, target], [undefined, undefined])
  })

  it("takes an address in any one case, and in mixed case only with its checksum", () => {
    for (const text of [lower, `0x${lower.slice(2).toUpperCase()}`, checksummed]) {
      assert.equal(splitOf(`{"signer_address":"${text}"}`).signer, checksummed)
    }
    const wrong = checksummed.replace("E", "e")
    assert.deepEqual(brokenRules(`{"target_address":"${wrong}"}`), ["/target_address address"])
  })

  for (const name of [
    ...["Nonce", "NONCE", "nonce ", "expiresAfter", "Expires_After", "Signature", "\u017fignature"],
    ...["Target_Address", "targetAddress", "target-address", "SIGNER_ADDRESS", "\uff4eonce"],
  ]) {
    it(`refuses ${JSON.stringify(name)}, which a careless reader takes for the real one`, () => {
      const text = `{"order_id":"1",${JSON.stringify(name)}:"x"}`
      assert.deepEqual(brokenRules(text), [`/${name} signing_field_misspelt`])
    })
  }

  it("takes names that only begin or end like a signing field", () => {
    const names = ["nonces", "signature_chain_id", "is_signer", "nonce2", "address", "expires"]
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))
    assert.deepEqual(Object.keys(splitOf(text).business), names)
  })

  for (const value of ["null", "1", '""', "{}", '"0x"', `"${lower}0"`, `"${lower.slice(2)}"`]) {
    it(`refuses ${value} as an address`, () => {
      assert.deepEqual(brokenRules(`{"signer_address":${value},"target_address":${value}}`), [
        "/signer_address address",
        "/target_address address",
      ])
    })
  }

  for (const name of ["nonce", "expires_after", "signature"]) {
    it(`refuses a body that brings its own ${name}, whatever its value`, () => {
      for (const value of ["1", "null", '{"r":"0x"}']) {
        assert.deepEqual(brokenRules(`{"${name}":${value}}`), [`/${name} signing_field_supplied`])
      }
    })
  }

  it("leaves a signing field's name alone where it stands deeper", () => {
    const { business } = splitOf('{"orders":[{"nonce":1}]}')
    assert.equal(JSON.stringify(business), '{"orders":[{"nonce":1}]}')
  })

  it("refuses what isn't an object", () => {
    for (const text of ["[]", "null", '"x"', "1"]) assert.deepEqual(brokenRules(text), [" object"])
  })

  it("refuses what isn't strict JSON, and says where", () => {
    const refusal = refusalOf('{"a":1,"\\u0061":2}')
    assert.ok(refusal.code === "invalid_json")
    assert.equal(refusal.data.offset, 7)
  })

  it("freezes what it gives, all the way down, on no prototype", () => {
    const { business } = splitOf('{"a":{"b":[{"c":1}]}}')
    const inner = business["a"] as { b: { c: number }[] }
    assert.equal(Object.getPrototypeOf(business), null)
    assert.equal("toString" in business, false)
    assert.throws(() => Object.assign(business, { a: 1 }), TypeError)
    assert.throws(() => inner.b.push({ c: 2 }), TypeError)
    assert.throws(() => Object.assign(inner.b[0]!, { c: 2 }), TypeError)
  })
})

describe("the refusal of an invalid body", () => {
  it("fits a frame, however long the bot's keys are", () => {
    const errors = Array.from({ length: maxFieldErrors }, () =>
      fieldError(`/${"\u0001".repeat(64 * 1024)}`, "unknown_field", "leave it out"),
    )
    const text = JSON.stringify(invalidRequest(errors))
    assert.ok(Buffer.byteLength(text) < maxFrameBytes / 2)
  })

  it("quotes 120 characters of a path in full, and cuts one more", () => {
    const pathOf = (length: number) => {
      const refusal = invalidRequest([fieldError("/".padEnd(length, "a"), "required", "add it")])
      assert.ok(refusal.code === "invalid_request")
      return refusal.data.errors[0]?.path
    }
    assert.equal(pathOf(120), "/".padEnd(120, "a"))
    assert.equal(pathOf(121), `${"/".padEnd(120, "a")}…`)
  })
})
