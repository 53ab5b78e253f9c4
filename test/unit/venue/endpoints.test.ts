import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { toHex } from "../../../src/std/bytes.ts"
import {
  builtinEndpoints,
  joinedLines,
  builtinProfile,
} from "../../../src/venue/builtin-profile.ts"
import { operationIds, type OperationId } from "../../../src/venue/profile.ts"
import { endpointOf, profileOf } from "./profile-text.ts"

/** Copied from the interface's tables by hand: path, weight base, weight per ten items. */
const table: readonly (readonly [OperationId, string, number, 0 | 1])[] = [
  ["placeOrder", "/v1/trade/orders", 1, 1],
  ["modifyOrder", "/v1/trade/orders/modify", 1, 1],
  ["cancelOrder", "/v1/trade/orders/cancel", 1, 1],
  ["chaseOrder", "/v1/trade/orders/chase", 1, 1],
  ["placeBatch", "/v1/trade/orders/batch", 1, 1],
  ["modifyBatch", "/v1/trade/orders/batch/modify", 1, 1],
  ["cancelBatch", "/v1/trade/orders/batch/cancel", 1, 1],
  ["cancelAll", "/v1/trade/orders/cancel-all", 5, 0],
  ["setPositionMode", "/v1/account/position-mode", 40, 0],
  ["setLeverage", "/v1/account/leverage", 2, 0],
  ["adjustIsolatedMargin", "/v1/account/isolated-margin", 2, 0],
  ["approveAgent", "/v1/account/approve-agent", 40, 0],
  ["revokeAgent", "/v1/account/revoke-agent", 40, 0],
  ["renewAgent", "/v1/account/renew-agent", 40, 0],
  ["createSub", "/v1/account/create-sub", 40, 0],
  ["transfer", "/v1/account/transfer", 40, 0],
  ["withdraw", "/v1/account/withdraw", 40, 0],
]

function addLine(id: OperationId, ...lines: readonly string[]) {
  const { signing } = endpointOf(profileOf(...lines), id)
  return signing.known ? "known" : `${signing.code}: ${signing.addLine}`
}

describe("the built-in endpoints", () => {
  it("are every operation of the interface, once", () => {
    assert.deepEqual(
      builtinEndpoints.map((endpoint) => endpoint.id),
      operationIds,
    )
  })

  for (const [id, path, base, perTenItems] of table) {
    it(`have ${id} at ${path}`, () => {
      const endpoint = builtinProfile.endpointByPath.get(path)
      assert.equal(endpoint?.id, id)
      assert.deepEqual(endpoint.weight, { base, perTenItems })
      assert.equal(endpoint.area, path.split("/")[2])
    })
  }

  it("know how to sign placeOrder and approveAgent, and nothing else", () => {
    const known = builtinEndpoints.filter(({ signing }) => signing.known).map(({ id }) => id)
    assert.deepEqual(known, ["placeOrder", "approveAgent"])
  })

  it("name lines to add that venue.yaml takes together, once they are joined and filled in", () => {
    const lines = builtinEndpoints.flatMap(({ signing }) => (signing.known ? [] : signing.addLine))
    const joined = joinedLines(["panic: []", ...lines])
    assert.equal(joined.length, 2)
    let count = 0 // no two operations have one tag, or one struct
    const filled = joined.map((line) =>
      line.replaceAll(/<0-255>|…/g, (gap) => {
        count += 1
        return gap === "…"
          ? `X${count}(address signerAddress,uint64 nonce,uint64 expiresAfter)`
          : `${100 + count}`
      }),
    )
    const { endpoints } = profileOf(...filled)
    assert.ok([...endpoints.values()].every(({ signing }) => signing.known))
  })

  it("sign placeOrder as Type A with the tag 7", () => {
    assert.deepEqual(endpointOf(builtinProfile, "placeOrder").signing, {
      known: true,
      value: { type: "A", tag: 7 },
    })
  })

  it("sign approveAgent by the interface's struct", () => {
    const { signing } = endpointOf(builtinProfile, "approveAgent")
    assert.ok(signing.known && signing.value.type === "B")
    assert.equal(
      signing.value.struct.typeString,
      "ApproveAgent(address signerAddress,string serviceChain,address agentAddress,address authorizedAddress,uint32 validDays,string label,uint64 nonce,uint64 expiresAfter)",
    )
  })

  const lines: readonly { id: OperationId; yaml?: string; says: string }[] = [
    {
      id: "cancelOrder",
      says: "action_tag_undisclosed: endpoints: {cancelOrder: {action_tag: <0-255>}}",
    },
    {
      id: "cancelOrder",
      yaml: "endpoints: {cancelOrder: {signing: A}}",
      says: "action_tag_undisclosed: endpoints: {cancelOrder: {action_tag: <0-255>}}",
    },
    {
      id: "withdraw",
      says: 'signing_type_undisclosed: endpoints: {withdraw: {signing: B, struct: "…"}}',
    },
    {
      id: "withdraw",
      yaml: "endpoints: {withdraw: {signing: B}}",
      says: 'struct_undisclosed: endpoints: {withdraw: {signing: B, struct: "…"}}',
    },
    {
      id: "setLeverage",
      yaml: "endpoints: {setLeverage: {signing: A}}",
      says: "action_tag_undisclosed: endpoints: {setLeverage: {signing: A, action_tag: <0-255>}}",
    },
    {
      id: "setLeverage",
      yaml: "endpoints: {setLeverage: {signing: A, action_tag: 20}}",
      says: "known",
    },
  ]
  for (const { id, yaml, says } of lines) {
    it(`say of ${id} with ${yaml ?? "no line of its own"}: ${says}`, () => {
      assert.equal(addLine(id, ...(yaml === undefined ? [] : [yaml])), says)
    })
  }
})

describe("the built-in profile", () => {
  it("has the main network's domain separator for its network", () => {
    const network = "0xb7535ece5e71e263d900237f06b3cc8122417600a0baaf06aaa66bbd876dc6a6"
    assert.equal(builtinProfile.network, network)
    assert.equal(profileOf().network, network)
  })

  it("is what a venue.yaml of one line says", () => {
    assert.deepEqual(profileOf(), builtinProfile)
  })

  it("signs with the interface's Agent and doesn't know it with target_address", () => {
    assert.equal(
      builtinProfile.agentStruct.typeString,
      "Agent(address signerAddress,bytes32 actionHash,uint64 nonce,uint64 expiresAfter)",
    )
    assert.equal(toHex(builtinProfile.agentStruct.typeHash).length, 66)
    assert.equal(builtinProfile.agentStructWithTarget.known, false)
  })

  it("is frozen, down to an endpoint's weight", () => {
    const { weight } = endpointOf(builtinProfile, "placeOrder")
    assert.throws(() => Object.assign(weight, { base: 0 }), TypeError)
    assert.throws(() => Object.assign(builtinProfile.typeB, { serviceChain: "X" }), TypeError)
  })
})
