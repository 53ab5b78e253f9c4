import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { JsonObject, JsonValue } from "../../../../src/venue/json.ts"
import { parsePayload } from "../../../../src/venue/payload/parse-payload.ts"
import type { Profile } from "../../../../src/venue/profile.ts"
import { builtinProfile } from "../../../../src/venue/profile/builtin-profile.ts"
import { endpointOf, profileOf } from "../profile-text.ts"

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

function errorsOf(body: JsonObject, profile: Profile = builtinProfile): readonly string[] {
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
      assert.deepEqual(errorsOf({ ...approval, [name]: value }), [])
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
      assert.deepEqual(errorsOf({ ...approval, [name]: value }), [`/${name} ${rule}`])
    })
  }

  for (const name of Object.keys(approval)) {
    it(`is refused without ${name}`, () => {
      const body = Object.fromEntries(Object.entries(approval).filter(([key]) => key !== name))
      assert.deepEqual(errorsOf(body), [`/${name} required`])
    })
  }

  it("is told of all its errors at once", () => {
    const body = { ...approval, service_chain: "X", signature_chain_id: 1, label: 1, valid_days: 0 }
    assert.deepEqual([...errorsOf(body)].sort(), [
      "/label wrong_type",
      "/service_chain wrong_service_chain",
      "/signature_chain_id wrong_signature_chain_id",
      "/valid_days out_of_range",
    ])
  })

  it("goes by the service chain and the chain ids of venue.yaml", () => {
    const profile = profileOf("type_b: {service_chain: Testnet, signature_chain_ids: [1, 5]}")
    const body = { ...approval, service_chain: "Testnet" }
    assert.deepEqual(errorsOf({ ...body, signature_chain_id: 1 }, profile), [])
    assert.deepEqual(errorsOf({ ...body, signature_chain_id: 5 }, profile), [])
    assert.deepEqual(errorsOf(approval, profile), [
      "/service_chain wrong_service_chain",
      "/signature_chain_id wrong_signature_chain_id",
    ])
  })
})
