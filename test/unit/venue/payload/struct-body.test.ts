import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { toHex } from "../../../../src/std/bytes.ts"
import { approveAgentStruct, builtinProfile } from "../../../../src/venue/builtin-profile.ts"
import type { JsonObject, JsonValue } from "../../../../src/venue/json.ts"
import { parsePayload } from "../../../../src/venue/payload/parse-payload.ts"
import { structValues } from "../../../../src/venue/payload/struct-body.ts"
import type { Profile } from "../../../../src/venue/profile.ts"
import { hashStruct, parseStructType, type StructType } from "../../../../src/venue/signing-hash.ts"
import { numRuns } from "../../../support/runs.ts"
import { endpointOf, profileOf } from "../profile-text.ts"

const signer = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

const members =
  "address signerAddress,string serviceChain,address destination,bool isFast,bytes32 ref,uint32 days,uint56 wide,uint256 amount,uint64 nonce,uint64 expiresAfter"
const withdrawText = `Withdraw(${members})`
const profile = profileOf(`endpoints: {withdraw: {signing: B, struct: "${withdrawText}"}}`)

const business: JsonObject = {
  service_chain: "Mainnet",
  signature_chain_id: 84256,
  destination: signer.toLowerCase(),
  is_fast: true,
  ref: `0x${"ab".repeat(32)}`,
  days: 30,
  wide: 7,
  amount: "1000000000000000000",
}
const filledIn = { signer_address: signer, nonce: 1763600000100, expires_after: 1763600060100 }

function struct(text: string): StructType {
  const parsed = parseStructType(text)
  assert.ok(parsed.ok)
  return parsed.value
}

function errorsOf(body: JsonObject): readonly string[] {
  const payload = parsePayload(endpointOf(profile, "withdraw"), body, profile)
  return payload.ok ? [] : payload.error.map(({ path, rule }) => `${path} ${rule}`)
}

describe("the values of a struct", () => {
  it("are read from a complete body, one for each member", () => {
    const values = structValues(struct(withdrawText), { ...business, ...filledIn })
    assert.ok(values.ok)
    assert.deepEqual(
      [...values.value],
      [
        ["signerAddress", signer],
        ["serviceChain", "Mainnet"],
        ["destination", signer],
        ["isFast", true],
        ["ref", `0x${"ab".repeat(32)}`],
        ["days", 30n],
        ["wide", 7n],
        ["amount", 10n ** 18n],
        ["nonce", 1763600000100n],
        ["expiresAfter", 1763600060100n],
      ],
    )
  })

  it("make the struct hash of the interface's approveAgent", () => {
    const values = structValues(approveAgentStruct, {
      service_chain: "Mainnet",
      signature_chain_id: 84256,
      agent_address: "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1",
      authorized_address: signer,
      valid_days: 30,
      label: "mm-1",
      ...filledIn,
    })
    assert.ok(values.ok)
    assert.equal(
      toHex(hashStruct(approveAgentStruct, values.value)),
      "0xee197f25ea639905c3a6cfa391891e241a808620f3ec8ef78bae92301764cb69",
    )
  })

  it("are missed where the body isn't complete", () => {
    const values = structValues(struct(withdrawText), business)
    assert.ok(!values.ok)
    assert.deepEqual(
      values.error.map(({ path, rule }) => `${path} ${rule}`),
      ["/signer_address required", "/nonce required", "/expires_after required"],
    )
  })

  it("can be hashed whenever they can be read", () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(signer, `0x${"0".repeat(64)}`, "12", "-1", "01"),
      fc.bigInt({ min: 0n, max: 2n ** 257n }).map(String),
      fc.maxSafeInteger(),
    )
    const type = fc.constantFrom(
      "address",
      "bool",
      "string",
      "bytes32",
      "uint8",
      "uint64",
      "uint256",
    )
    fc.assert(
      fc.property(type, value, (name, json) => {
        const one = struct(`One(${name} someValue)`)
        const values = structValues(one, { some_value: json as JsonValue })
        if (values.ok) assert.equal(hashStruct(one, values.value).length, 32)
      }),
      numRuns(500),
    )
  })
})

describe("the body of a Type B operation", () => {
  it("is accepted with exactly the struct's fields and signature_chain_id", () => {
    assert.deepEqual(errorsOf(business), [])
  })

  it("needs no service_chain where the struct has none", () => {
    const text =
      "Transfer(address signerAddress,address toAddress,uint64 nonce,uint64 expiresAfter)"
    const other = profileOf(`endpoints: {transfer: {signing: B, struct: "${text}"}}`)
    const readTransfer = (body: JsonObject) =>
      parsePayload(endpointOf(other, "transfer"), body, other).ok
    const body = { to_address: signer, signature_chain_id: 84256 }
    assert.ok(readTransfer(body))
    assert.ok(!readTransfer({ ...body, service_chain: "Mainnet" }))
  })

  for (const name of Object.keys(business)) {
    it(`is refused without ${name}`, () => {
      const body = Object.fromEntries(Object.entries(business).filter(([key]) => key !== name))
      assert.deepEqual(errorsOf(body), [`/${name} required`])
    })
  }

  const accepted: readonly (readonly [string, JsonValue])[] = [
    ["is_fast", false],
    ["days", 0],
    ["days", 4_294_967_295],
    ["wide", "72057594037927935"],
    ["wide", "0"],
    ["amount", 5],
    ["amount", String(2n ** 256n - 1n)],
    ["ref", `0x${"AB".repeat(32)}`],
  ]
  for (const [name, value] of accepted) {
    it(`may have the ${name} ${JSON.stringify(value)}`, () => {
      assert.deepEqual(errorsOf({ ...business, [name]: value }), [])
    })
  }

  const refused: readonly (readonly [string, JsonValue, string])[] = [
    ["is_fast", "true", "wrong_type"],
    ["is_fast", 1, "wrong_type"],
    ["days", 4_294_967_296, "out_of_range"],
    ["days", -1, "out_of_range"],
    ["days", "30", "wrong_type"],
    ["wide", "72057594037927936", "out_of_range"],
    ["amount", String(2n ** 256n), "out_of_range"],
    ["amount", -1, "out_of_range"],
    ...["", "-1", "01", "1.0", "0x1", "1e3", " 1", "9".repeat(79)].map(
      (text) => ["amount", text, "wrong_type"] as const,
    ),
    ["amount", null, "wrong_type"],
    ["ref", `0x${"ab".repeat(31)}`, "not_bytes32"],
    ["ref", "ab".repeat(32), "not_bytes32"],
    ["ref", 1, "wrong_type"],
    ["destination", "0x00", "not_address"],
    ["destination", signer.replace("E36", "e36"), "wrong_checksum"],
    ["service_chain", "Testnet", "wrong_service_chain"],
    ["signature_chain_id", 1, "wrong_signature_chain_id"],
    ["isFast", true, "unknown_field"],
    ["signer_address", signer, "unknown_field"],
    ["nonce", 1, "unknown_field"],
    ["signature", {}, "unknown_field"],
  ]
  for (const [name, value, rule] of refused) {
    it(`is refused for the ${name} ${JSON.stringify(value)} as ${rule}`, () => {
      assert.deepEqual(errorsOf({ ...business, [name]: value }), [`/${name} ${rule}`])
    })
  }
})

const agent = "0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1"
const wallet = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"
const approval: JsonObject = {
  service_chain: "Mainnet",
  signature_chain_id: 84256,
  agent_address: agent,
  authorized_address: wallet,
  valid_days: 30,
  label: "mm-1",
}

function read(body: JsonObject, profile: Profile = builtinProfile) {
  return parsePayload(endpointOf(profile, "approveAgent"), body, profile)
}

function approvalErrors(body: JsonObject, profile: Profile = builtinProfile): readonly string[] {
  const payload = read(body, profile)
  return payload.ok ? [] : payload.error.map(({ path, rule }) => `${path} ${rule}`)
}

describe("the body of approveAgent", () => {
  it("is read with its addresses in checksummed form", () => {
    const payload = read({
      ...approval,
      agent_address: agent.toLowerCase(),
      authorized_address: `0x${wallet.slice(2).toUpperCase()}`,
    })
    assert.ok(payload.ok)
    assert.deepEqual(payload.value, {
      kind: "approve_agent",
      approval: {
        serviceChain: "Mainnet",
        signatureChainId: 84256,
        agentAddress: agent,
        authorizedAddress: wallet,
        validDays: 30,
        label: "mm-1",
      },
    })
  })

  const accepted: readonly (readonly [string, JsonValue])[] = [
    ["valid_days", 1],
    ["valid_days", 4_294_967_295],
    ["label", ""],
    ["label", "bot é ✓".repeat(100)],
  ]
  for (const [name, value] of accepted) {
    it(`may have the ${name} ${JSON.stringify(value).slice(0, 40)}`, () => {
      assert.deepEqual(approvalErrors({ ...approval, [name]: value }), [])
    })
  }

  const refused: readonly (readonly [string, JsonValue, string])[] = [
    ["valid_days", 0, "out_of_range"],
    ["valid_days", -1, "out_of_range"],
    ["valid_days", 4_294_967_296, "out_of_range"],
    ["valid_days", "30", "wrong_type"],
    ["valid_days", null, "wrong_type"],
    ["valid_days", 1.5, "wrong_type"],
    ["label", null, "wrong_type"],
    ["label", 1, "wrong_type"],
    ["service_chain", "Testnet", "wrong_service_chain"],
    ["service_chain", "mainnet", "wrong_service_chain"],
    ["service_chain", 1, "wrong_type"],
    ["signature_chain_id", 1, "wrong_signature_chain_id"],
    ["signature_chain_id", "84256", "wrong_type"],
    ["agent_address", agent.slice(0, -1), "not_address"],
    ["agent_address", agent.slice(2), "not_address"],
    ["agent_address", `0X${agent.slice(2)}`, "not_address"],
    ["agent_address", agent.replace("0E3c", "0e3c"), "wrong_checksum"],
    ["agent_address", null, "wrong_type"],
    ["authorized_address", wallet.replace("E36", "e36"), "wrong_checksum"],
    ["authorized_address", 7, "wrong_type"],
    ["target_address", wallet, "unknown_field"],
    ["note", "x", "unknown_field"],
  ]
  for (const [name, value, rule] of refused) {
    it(`is refused for the ${name} ${JSON.stringify(value)} as ${rule}`, () => {
      assert.deepEqual(approvalErrors({ ...approval, [name]: value }), [`/${name} ${rule}`])
    })
  }

  for (const name of Object.keys(approval)) {
    it(`is refused without ${name}`, () => {
      const body = Object.fromEntries(Object.entries(approval).filter(([key]) => key !== name))
      assert.deepEqual(approvalErrors(body), [`/${name} required`])
    })
  }

  it("is told of all its errors at once", () => {
    const body = { ...approval, service_chain: "X", signature_chain_id: 1, label: 1, valid_days: 0 }
    assert.deepEqual([...approvalErrors(body)].sort(), [
      "/label wrong_type",
      "/service_chain wrong_service_chain",
      "/signature_chain_id wrong_signature_chain_id",
      "/valid_days out_of_range",
    ])
  })

  it("goes by the service chain and the chain ids of venue.yaml", () => {
    const profile = profileOf("type_b: {service_chain: Testnet, signature_chain_ids: [1, 5]}")
    const body = { ...approval, service_chain: "Testnet" }
    assert.deepEqual(approvalErrors({ ...body, signature_chain_id: 1 }, profile), [])
    assert.deepEqual(approvalErrors({ ...body, signature_chain_id: 5 }, profile), [])
    assert.deepEqual(approvalErrors(approval, profile), [
      "/service_chain wrong_service_chain",
      "/signature_chain_id wrong_signature_chain_id",
    ])
  })
})
