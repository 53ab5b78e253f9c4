import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { problemsOf, profileOf } from "./profile-text.ts"

const address = "0x2c7536E3605D9C16a7a3D7b1898e529396a65c23"

describe("panic in venue.yaml", () => {
  it("is empty where the file says nothing", () => {
    assert.deepEqual(profileOf().panic, [])
    assert.deepEqual(profileOf("panic: []").panic, [])
  })

  it("gives the cancels to sign, with key and target where they are named", () => {
    const { panic } = profileOf(
      "panic:",
      `  - {operation: cancelAll, key: mm, target: "${address}", body: '{"symbol_id": 1}'}`,
      "  - {operation: cancelOrder, body: '{}'}",
    )
    assert.deepEqual(
      panic.map((line) => ({ ...line, body: { ...line.body } })),
      [
        { operation: "cancelAll", key: "mm", target: address, body: { symbol_id: 1 } },
        { operation: "cancelOrder", body: {} },
      ],
    )
  })

  for (const [what, line, problem] of [
    ["an operation that isn't a cancel", "{operation: placeOrder, body: '{}'}", /3:\d+.*cancelAll/],
    ["no body", "{operation: cancelAll}", /3:\d+/],
    ["a body that isn't JSON", "{operation: cancelAll, body: '{symbol_id: 1}'}", /3:\d+.*JSON/],
    ["a body with a fraction", `{operation: cancelAll, body: '{"a": 1.5}'}`, /3:\d+.*JSON/],
    ["a body with a key twice", `{operation: cancelAll, body: '{"a": 1, "a": 2}'}`, /3:\d+/],
    ["a list for a body", "{operation: cancelAll, body: '[]'}", /3:\d+.*JSON object/],
    [
      "a nonce in the body",
      `{operation: cancelAll, body: '{"nonce": 1}'}`,
      /3:\d+.*leave nonce out/,
    ],
    [
      "a target in the body",
      `{operation: cancelAll, body: '{"target_address": "${address}"}'}`,
      /3:\d+.*leave target_address out/,
    ],
    ["no address for a target", "{operation: cancelAll, body: '{}', target: me}", /3:\d+.*address/],
    ["no name for a key", "{operation: cancelAll, body: '{}', key: 'My Key'}", /3:\d+.*key/],
    [
      "another field",
      "{operation: cancelAll, body: '{}', keys: [mm]}",
      /3:\d+.*unknown key "keys"/,
    ],
  ] as const) {
    it(`refuses ${what}, with its line`, () => {
      const problems = problemsOf("panic:", `  - ${line}`)
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? "", problem)
    })
  }

  it("refuses a batch whose body the profile can't read as one, with its line", () => {
    const batch = "endpoints: {cancelBatch: {action_tag: 13, items: /order_ids}}"
    assert.deepEqual(
      problemsOf(batch, `panic: [{operation: cancelBatch, body: '{"order_ids": ["1"]}'}]`),
      [],
    )
    const problems = problemsOf(batch, "panic:", "  - {operation: cancelBatch, body: '{}'}")
    assert.match(
      problems.join(),
      /^venue\.yaml:4:\d+: cancelBatch can't have this body: \/order_ids/,
    )
  })

  it("takes 20 lines, and not 21", () => {
    const lines = (count: number) =>
      Array.from({ length: count }, () => "  - {operation: cancelAll, body: '{}'}")
    assert.equal(profileOf("panic:", ...lines(20)).panic.length, 20)
    assert.match(problemsOf("panic:", ...lines(21)).join(), /at most 20/)
  })
})

describe("codes in venue.yaml", () => {
  it("name the code of a nonce that was used before, which the interface doesn't disclose", () => {
    assert.equal(profileOf().duplicateNonceCode, undefined)
    assert.equal(profileOf('codes: {duplicate_nonce: "90210"}').duplicateNonceCode, "90210")
    assert.match(problemsOf("codes: {nonce: 1}").join(), /unknown key "nonce"/)
  })
})
