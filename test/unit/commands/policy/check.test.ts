import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { nameWarnings } from "../../../../src/commands/policy/check.ts"
import { policiesOf } from "../../../support/policy-case.ts"

const clients = [
  { name: "bot", keys: ["mm"], revoked: false },
  { name: "desk", keys: ["main"], revoked: false },
  { name: "gone", keys: ["mm"], revoked: true },
]
const keys = [
  { name: "mm", approval: "approved" },
  { name: "main", approval: "unknown" },
  { name: "old", approval: "removed" },
]

function warnings(appliesTo: string): readonly string[] {
  const policies = policiesOf(`policy: p\n${appliesTo}\ndeny: [{name: d, endpoints: [withdraw]}]\n`)
  return nameWarnings(policies, { clients, keys } as never) // it looks at no more of them
}

describe("the names in applies_to", () => {
  it("are all right where there are such clients and keys, or none are named", () => {
    assert.deepEqual(warnings(""), [])
    assert.deepEqual(warnings("applies_to: {clients: [bot, desk], keys: [mm]}"), [])
    assert.deepEqual(warnings("applies_to: {keys: [main]}"), [])
  })

  it("are warned of one by one where nobody has them, or no more", () => {
    assert.deepEqual(warnings("applies_to: {clients: [bto, gone, bot], keys: [old]}"), [
      "applies_to in 0.yaml names the client bto, and there is no such client: nothing in the file holds for it.",
      "applies_to in 0.yaml names the client gone, and there is no such client: nothing in the file holds for it.",
      "applies_to in 0.yaml names the key old, and there is no such key: nothing in the file holds for it.",
    ])
  })

  it("are warned of where none of the clients has one of the keys", () => {
    assert.deepEqual(warnings("applies_to: {clients: [bot], keys: [main]}"), [
      "applies_to in 0.yaml holds for nobody: no client that it is for has one of its keys.",
    ])
  })
})
