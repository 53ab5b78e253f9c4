import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { mainVenueText } from "../../../../src/commands/init/init-texts.ts"
import { makeActiveSet, type ActiveSet } from "../../../../src/vault/active/active-set.ts"
import type { Client, KeyEntry } from "../../../../src/vault/ledger/records/bindings.ts"
import { judgeRequest } from "../../../../src/vault/request/judge-request.ts"
import {
  parseRequest,
  type BodyCall,
  type ParsedRequest,
} from "../../../../src/vault/request/parse-request.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  approvePath,
  callOf,
  cancelPath,
  limitOrder,
  openTestVault,
  ordersPath,
  permissivePolicy,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { addressOf } from "../../../support/policy-case.ts"

const client: Client = {
  name: "bot",
  token_hash: "",
  keys: ["mm", "main"],
  rights: [],
  allow_type_b: true,
}
const endsAtMs = 1_780_000_000_000
const stopBeforeMs = 6 * 3_600_000

const cappedPolicy = `policy: capped
rules:
  - {name: quote, endpoints: [placeOrder], max_notional: "40000"}
`

describe("preparing a request", () => {
  let test: TestVault
  let set: ActiveSet
  before(async () => {
    test = await openTestVault({ policies: [permissivePolicy, cappedPolicy] })
    const empty = test.vault.active()
    const agent: KeyEntry = {
      name: "mm",
      address: addressOf("1"),
      role: "agent",
      wallet: "main",
      targets: [],
      network: empty.profile.network,
      approval: "approved",
      expires_at: endsAtMs,
    }
    const wallet: KeyEntry = {
      ...agent,
      name: "main",
      address: addressOf("2"),
      role: "wallet",
      wallet: null,
      approval: "unknown",
      expires_at: null,
    }
    set = makeActiveSet(empty, [agent, wallet], [client])
  })
  after(() => test.remove())

  function callFor(body: unknown, changes: Partial<BodyCall> = {}): BodyCall {
    return callOf("", body, changes)
  }

  function read(body: unknown, changes: Partial<BodyCall> = {}): ParsedRequest {
    const result = parseRequest(callFor(body, changes), client, set)
    assert.ok(result.ok, result.ok ? "" : result.error.message)
    return result.value
  }

  function refusalCode(body: unknown, changes: Partial<BodyCall> = {}, by = set): string {
    const result = parseRequest(callFor(body, changes), client, by)
    return result.ok ? "read" : result.error.code
  }

  function judged(request: ParsedRequest, nowMs: number, by = set): string {
    const decision = judgeRequest(request, client, { set: by, nowMs: ledgerTime(nowMs), call: {} })
    return decision.kind === "refuse" ? decision.refusal.code : decision.kind
  }

  it("freezes the request, so that nothing changes it on its way to the key", () => {
    const request = read(limitOrder())
    assert.throws(() => Object.assign(request, { ttlMs: 1 }), TypeError)
    assert.throws(() => Object.assign(request.business, { quantity: "9" }), TypeError)
    assert.throws(() => Object.assign(request.payload, { kind: "opaque" }), TypeError)
    assert.throws(() => Object.assign(request.signing, { tag: 9 }), TypeError)
  })

  it("knows exactly the venue's paths", () => {
    for (const path of [
      `${ordersPath}/`,
      ordersPath.toUpperCase(),
      "/v1/trade/../trade/orders",
      "",
    ]) {
      assert.equal(refusalCode(limitOrder(), { path }), "unknown_endpoint", path)
    }
    assert.equal(refusalCode(limitOrder(), { path: "__proto__" }), "unknown_endpoint")
  })

  it("names the path that was meant most likely, where one is near", () => {
    const messageOf = (path: string) => {
      const result = parseRequest(callFor(limitOrder(), { path }), client, set)
      return result.ok ? "read" : result.error.message
    }
    assert.match(messageOf("/v1/trade/order"), /; did you mean \/v1\/trade\/orders\?$/)
    assert.match(messageOf("/v2/nothing"), /with this path\.$/)
  })

  it("says which line is missing where the interface doesn't tell how to sign", async (t) => {
    const main = await openTestVault({ venue: mainVenueText(undefined) })
    t.after(() => main.remove())
    const result = parseRequest(
      callFor({ order_id: "1" }, { path: cancelPath }),
      client,
      main.vault.active(),
    )
    assert.ok(!result.ok && result.error.code === "action_tag_undisclosed")
    assert.equal(result.error.data.add_line, "endpoints: {cancelOrder: {action_tag: <0-255>}}")
  })

  for (const [header, expected] of [
    [undefined, 15_000],
    ["1", 1],
    ["15000", 15_000],
    ["15001", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    ["01", undefined],
    ["", undefined],
    [" 1", undefined],
    ["9".repeat(30), undefined],
  ] as const) {
    const title = header === undefined ? "no Countersign-Expires-In" : `"${header}"`
    it(`${expected === undefined ? "refuses" : "takes"} ${title} as the time a trade is good`, () => {
      const changes = header === undefined ? {} : { expiresIn: header }
      if (expected === undefined) assert.equal(refusalCode(limitOrder(), changes), "invalid_header")
      else assert.equal(read(limitOrder(), changes).ttlMs, expected)
    })
  }

  it("gives an account operation a minute", () => {
    const body = {
      service_chain: "Sandbox",
      signature_chain_id: 842_569_901,
      agent_address: addressOf("1"),
      authorized_address: addressOf("2"),
      valid_days: 1,
      label: "",
    }
    const changes = { path: approvePath, key: "main" }
    assert.equal(read(body, changes).ttlMs, 60_000)
    assert.equal(read(body, { ...changes, expiresIn: "60000" }).ttlMs, 60_000)
    assert.equal(refusalCode(body, { ...changes, expiresIn: "60001" }), "invalid_header")
  })

  it("stops an agent exactly stop_before its end, and not a millisecond earlier", () => {
    const request = read(limitOrder())
    assert.equal(judged(request, endsAtMs - stopBeforeMs - 1), "allow")
    assert.equal(judged(request, endsAtMs - stopBeforeMs), "agent_expiring")
    assert.equal(judged(request, endsAtMs + 1), "agent_expiring")
  })

  it("lets an agent cancel and reduce before, at and after its end, and nothing else", () => {
    for (const nowMs of [endsAtMs - 1, endsAtMs, endsAtMs + 86_400_000]) {
      assert.equal(judged(read({ order_id: "1" }, { path: cancelPath }), nowMs), "allow")
      assert.equal(judged(read(limitOrder({ flags: ["reduce_only"] })), nowMs), "allow")
      assert.equal(judged(read(limitOrder()), nowMs), "agent_expiring")
      const spot = limitOrder({ symbol_id: 3, flags: ["reduce_only"] })
      assert.equal(judged(read(spot), nowMs), "agent_expiring")
    }
  })

  it("never stops a wallet key for its age", () => {
    assert.equal(judged(read(limitOrder(), { key: "main" }), endsAtMs), "allow")
  })

  it("counts a reference price as known within its max_age, in the past and in the future", () => {
    const price = set.profile.symbols.byId.get(1)?.referencePrice
    assert.ok(price)
    const capped = makeActiveSet(
      { ...set, policies: set.policies.filter(({ name }) => name === "capped") },
      [...set.keys.values()],
      [client],
    )
    const request = read(limitOrder(), { key: "main" })
    for (const [nowMs, expected] of [
      [price.asOfMs + price.maxAgeMs, "allow"],
      [price.asOfMs + price.maxAgeMs + 1, "policy_denied"],
      [price.asOfMs - price.maxAgeMs, "allow"],
      [price.asOfMs - price.maxAgeMs - 1, "policy_denied"],
    ] as const) {
      assert.equal(judged(request, nowMs, capped), expected)
    }
  })

  it("holds for an approval only agents of the signing wallet that aren't revoked", () => {
    const body = {
      service_chain: "Sandbox",
      signature_chain_id: 842_569_901,
      agent_address: addressOf("1"),
      authorized_address: addressOf("2"),
      valid_days: 1,
      label: "",
    }
    const request = read(body, { path: approvePath, key: "main" })
    const withAgent = (changes: Partial<KeyEntry>) =>
      makeActiveSet(
        set,
        [...set.keys.values()].map((key) => (key.name === "mm" ? { ...key, ...changes } : key)),
        [client],
      )
    assert.equal(judged(request, 0), "allow")
    for (const changes of [
      { wallet: "other" },
      { wallet: null },
      { approval: "revoked" as const },
    ]) {
      assert.equal(judged(request, 0, withAgent(changes)), "policy_denied")
    }
  })
})
