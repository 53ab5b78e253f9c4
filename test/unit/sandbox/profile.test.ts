import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { readPaths } from "../../../src/sandbox/reads.ts"
import {
  actionTags,
  agentType,
  agentWithTargetType,
  approveAgentType,
  createSubType,
  domainSeparator,
  renewAgentType,
  revokeAgentType,
  transferType,
  withdrawType,
} from "../../../src/sandbox/signing/typed-hash.ts"
import { errorCodes } from "../../../src/sandbox/state/error-codes.ts"
import {
  marketSymbols,
  sandboxChainId,
  sandboxServiceChain,
} from "../../../src/sandbox/state/market.ts"
import { ipWeight } from "../../../src/sandbox/answer-request.ts"
import { toHex } from "../../../src/std/bytes.ts"
import { problemText } from "../../../src/std/yaml-file.ts"
import { isSandboxNetwork } from "../../../src/vault/operator/key-methods.ts"
import { operationIds, type OperationId, type Profile } from "../../../src/venue/profile.ts"
import { parseProfile } from "../../../src/venue/profile/profile-file.ts"
import { readGroupOf, readWeights } from "../../../src/venue/read-paths.ts"
import { nowMs } from "./signed-bodies.ts"

describe("the sandbox's profile", () => {
  it("is one that the daemon loads", () => {
    assert.equal(load().baseUrl, sandboxUrl)
  })

  it("names the network that the sandbox checks against", () => {
    const profile = load()
    assert.equal(profile.network, toHex(domainSeparator(sandboxChainId)))
    assert.ok(isSandboxNetwork(profile))
    assert.deepEqual(profile.typeB, {
      serviceChain: sandboxServiceChain,
      signatureChainIds: [sandboxChainId],
    })
  })

  it("gives every Type A operation its tag, each another, and 7 to placeOrder alone", () => {
    const tags = Array.from(load().endpoints.values()).flatMap(({ id, signing }) =>
      signing.known && signing.value.type === "A" ? [[id, signing.value.tag] as const] : [],
    )
    assert.deepEqual(Object.fromEntries(tags), actionTags)
    assert.equal(new Set(Object.values(actionTags)).size, tags.length)
    assert.equal(actionTags.placeOrder, 7)
  })

  it("has the structs that the sandbox hashes", () => {
    const profile = load()
    assert.equal(profile.agentStruct.typeString, agentType)
    const withTarget = profile.agentStructWithTarget
    assert.equal(withTarget.known && withTarget.value.typeString, agentWithTargetType)
    assert.equal(structOf(profile, "approveAgent"), approveAgentType)
    assert.equal(structOf(profile, "revokeAgent"), revokeAgentType)
    assert.equal(structOf(profile, "renewAgent"), renewAgentType)
    assert.equal(structOf(profile, "createSub"), createSubType)
  })

  it("leaves transfers and withdrawals unsigned until their lines lose the #", () => {
    const { endpoints } = load()
    const undisclosed = operationIds.filter((id) => endpoints.get(id)?.signing.known !== true)
    assert.deepEqual(undisclosed, ["transfer", "withdraw"])
    const whole = load((text) => text.replaceAll(/^( *)#(?=transfer:|withdraw:)/gm, "$1"))
    assert.equal(structOf(whole, "transfer"), transferType)
    assert.equal(structOf(whole, "withdraw"), withdrawType)
  })

  it("doesn't tell the code of a repeated nonce until its line loses the #", () => {
    assert.equal(load().duplicateNonceCode, undefined)
    const whole = load((text) => text.replace(/^#(?=codes:)/m, ""))
    assert.equal(whole.duplicateNonceCode, errorCodes.nonce_repeated)
  })

  it("weighs every read as the sandbox does", () => {
    const { reads } = load()
    for (const path of Object.values(readPaths)) {
      const group = readGroupOf(path, reads)
      assert.equal(group && readWeights[group], ipWeight("GET", path), path)
    }
  })

  it("lists the symbols that the sandbox trades, their prices good for 30 days", () => {
    const { byId } = load().symbols
    const listed = marketSymbols.map(({ id }) => byId.get(id))
    assert.deepEqual(
      listed.map((symbol) => symbol && [symbol.id, symbol.name, symbol.market, symbol.quote]),
      marketSymbols.map(({ id, name, market, quote }) => [id, name, market, quote]),
    )
    assert.equal(byId.size, marketSymbols.length)
    for (const symbol of listed) {
      assert.equal(symbol?.referencePrice?.asOfMs, nowMs)
      assert.equal(symbol.referencePrice.maxAgeMs, 30 * 86_400_000)
    }
  })
})

function load(change = (text: string) => text): Profile {
  const text = sandboxProfile({ url: sandboxUrl, asOf: new Date(nowMs) })
  const profile = parseProfile(change(text), "venue.yaml")
  if (!profile.ok) assert.fail(profile.error.map(problemText).join("\n"))
  return profile.value
}

function structOf(profile: Profile, id: OperationId): string | undefined {
  const signing = profile.endpoints.get(id)?.signing
  return signing?.known === true && signing.value.type === "B"
    ? signing.value.struct.typeString
    : undefined
}
