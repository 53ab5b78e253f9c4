import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { makeActiveSet, type ActiveSet } from "../../../../src/vault/active/active-set.ts"
import type { Client, KeyEntry } from "../../../../src/vault/ledger/records/bindings.ts"
import { pickKey } from "../../../../src/vault/request/authorize.ts"
import type { Address } from "../../../../src/venue/address.ts"
import type { OperationId } from "../../../../src/venue/profile.ts"
import { openTestVault, type TestVault } from "../../../support/open-test-vault.ts"
import { addressOf } from "../../../support/policy-case.ts"

const client: Client = {
  name: "bot",
  token_hash: "",
  keys: ["mm", "main", "abroad", "gone"],
  rights: [],
  allow_type_b: true,
}
const sub = addressOf("a")

describe("picking the key", () => {
  let test: TestVault
  let set: ActiveSet
  before(async () => {
    test = await openTestVault()
    const empty = test.vault.active()
    const key = (name: string, digit: string, changes: Partial<KeyEntry> = {}): KeyEntry => ({
      name,
      address: addressOf(digit),
      role: "agent",
      wallet: "main",
      targets: [sub],
      network: empty.profile.network,
      approval: "unknown",
      expires_at: null,
      ...changes,
    })
    const keys = [
      key("mm", "1"),
      key("main", "2", { role: "wallet", wallet: null, targets: [] }),
      key("abroad", "3", { network: `0x${"00".repeat(32)}` }),
      key("gone", "4", { approval: "revoked" }),
      key("others", "5"),
    ]
    set = makeActiveSet(empty, keys, [])
  })
  after(() => test.remove())

  type Ask = {
    readonly operation?: OperationId
    readonly header?: string
    readonly signer?: Address
    readonly target?: Address
    readonly by?: Client
  }

  function pick({ operation = "placeOrder", header, signer, target, by = client }: Ask) {
    const endpoint = set.profile.endpoints.get(operation)!
    assert.ok(endpoint.signing.known)
    const signing = endpoint.signing.value
    return pickKey({ client: by, header, split: { signer, target }, endpoint, signing }, set)
  }

  function nameOf(picked: ReturnType<typeof pickKey>): string {
    return picked.ok ? picked.value.key.name : picked.error.code
  }

  it("takes the header, else the signer of the body, else the client's first", () => {
    assert.equal(nameOf(pick({})), "mm")
    assert.equal(nameOf(pick({ signer: addressOf("2") })), "main")
    assert.equal(nameOf(pick({ header: "main" })), "main")
    assert.equal(nameOf(pick({ header: "main", signer: addressOf("2") })), "main")
  })

  it("refuses a header and a signer that disagree", () => {
    assert.equal(nameOf(pick({ header: "mm", signer: addressOf("2") })), "invalid_request")
  })

  it("refuses keys that aren't the client's, held here or not, by name and by address", () => {
    for (const header of ["others", "nobody", "", "__proto__", "constructor"]) {
      assert.equal(nameOf(pick({ header })), "key_not_allowed", header)
    }
    for (const digit of ["5", "e"]) {
      assert.equal(nameOf(pick({ signer: addressOf(digit) })), "key_not_allowed")
    }
    const keyless: Client = { ...client, keys: ["removed"] }
    assert.equal(nameOf(pick({ by: keyless })), "key_not_allowed")
  })

  it("says of another client's key no more than of none", () => {
    const refusals = [pick({ header: "others" }), pick({ header: "nobody" })]
    const [known, unknown] = refusals.map((refused) =>
      JSON.stringify(refused).replaceAll(/others|nobody/g, "x"),
    )
    assert.equal(known, unknown)
  })

  it("refuses a key of another network", () => {
    assert.equal(nameOf(pick({ header: "abroad" })), "wrong_network")
  })

  it("refuses a revoked agent, also for what reduces risk", () => {
    assert.equal(nameOf(pick({ header: "gone" })), "agent_revoked")
    assert.equal(nameOf(pick({ header: "gone", operation: "cancelAll" })), "agent_revoked")
  })

  it("never lets an agent key sign an account operation", () => {
    for (const operation of ["approveAgent", "revokeAgent"] as const) {
      assert.equal(nameOf(pick({ operation })), "wallet_key_required")
      assert.equal(nameOf(pick({ operation, header: "main" })), "main")
    }
  })

  it("lets only a client that may use wallet keys use one, whatever for", () => {
    const by: Client = { ...client, allow_type_b: false }
    assert.equal(nameOf(pick({ by })), "mm")
    for (const operation of ["placeOrder", "approveAgent"] as const) {
      assert.equal(nameOf(pick({ by, operation, header: "main" })), "key_not_allowed")
    }
  })

  it("takes the key itself and its targets as target, and no other", () => {
    for (const [target, expected] of [
      [addressOf("1"), "mm"],
      [sub, "mm"],
      [addressOf("2"), "target_not_allowed"],
      [addressOf("e"), "target_not_allowed"],
    ] as const) {
      assert.equal(nameOf(pick({ target })), expected, target)
    }
    assert.equal(nameOf(pick({ header: "main", target: sub })), "target_not_allowed")
  })

  it("hands on the target that the body named, and the address of the key as signer", () => {
    const picked = pick({ target: sub })
    assert.ok(picked.ok)
    assert.deepEqual(picked.value.parties, { signer: addressOf("1"), target: sub })
  })

  it("refuses any target on an account operation, also the signer's own", () => {
    for (const target of [addressOf("2"), sub]) {
      const refused = pick({ operation: "approveAgent", header: "main", target })
      assert.equal(nameOf(refused), "invalid_request")
    }
  })
})
