import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { operationIds, type Profile } from "../../src/venue/profile.ts"
import { parseProfile } from "../../src/venue/profile/profile-file.ts"
import { numRuns } from "../support/runs.ts"

/** What alone separates a signature for one operation from a signature for another. */
function separators(profile: Profile): readonly string[] {
  return [...profile.endpoints.values()].flatMap(({ signing }) => {
    if (!signing.known) return []
    return [signing.value.type === "A" ? `${signing.value.tag}` : signing.value.struct.typeString]
  })
}

const structs = ["Agent", "ApproveAgent", "Withdraw", "Transfer", "Renew"].map(
  (name) => `"${name}(address signerAddress,uint64 nonce,uint64 expiresAfter)"`,
)
const settings = fc.oneof(
  fc.integer({ min: 0, max: 20 }).map((tag) => `{signing: A, action_tag: ${tag}}`),
  fc.integer({ min: 0, max: 20 }).map((tag) => `{action_tag: ${tag}}`),
  fc.constantFrom(...structs).map((struct) => `{signing: B, struct: ${struct}}`),
)
const venueYaml = fc
  .dictionary(fc.constantFrom(...operationIds), settings, { maxKeys: 4 })
  .map((endpoints) => {
    const lines = Object.entries(endpoints).map(([id, setting]) => `  ${id}: ${setting}\n`)
    return `extends: builtin\nendpoints:${lines.length === 0 ? " {}" : ""}\n${lines.join("")}`
  })

describe("a profile that would let one signature stand for two operations", () => {
  it("isn't loaded, whatever tags and structs it gives", () => {
    fc.assert(
      fc.property(venueYaml, (text) => {
        const read = parseProfile(text, "venue.yaml")
        if (!read.ok) return
        const all = separators(read.value)
        assert.equal(new Set(all).size, all.length)
        const { signing } = read.value.endpoints.get("placeOrder")!
        assert.deepEqual(signing, { known: true, value: { type: "A", tag: 7 } })
      }),
      numRuns(300),
    )
  })
})
