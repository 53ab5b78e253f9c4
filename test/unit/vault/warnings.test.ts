import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mainVenueText } from "../../../src/commands/init-texts.ts"
import { warningsOf } from "../../../src/vault/warnings.ts"
import { openTestVault } from "../../support/open-test-vault.ts"

const placing = "policy: p\nrules:\n  - {name: r, endpoints: [placeOrder]}\n"

describe("what an operator is warned of", () => {
  it("is orders that can be placed but not cancelled", async (t) => {
    const venue = mainVenueText(undefined)
    const test = await openTestVault({ venue, policies: [placing] })
    t.after(() => test.remove())
    assert.match(warningsOf(test.vault.active()).join(), /no cancel can be signed/)

    const withTag = venue.replace("# endpoints:", "endpoints: {cancelAll: {action_tag: 9}}\n#")
    const able = await openTestVault({ venue: withTag, policies: [placing] })
    t.after(() => able.remove())
    assert.deepEqual(warningsOf(able.vault.active()), [])

    const still = await openTestVault({ venue, policies: [] })
    t.after(() => still.remove())
    assert.deepEqual(warningsOf(still.vault.active()), [])
  })

  it("is an agent whose approval isn't known, until it is", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "main", role: "wallet" })
    await test.addKey({ name: "mm", role: "agent" })
    assert.match(warningsOf(test.vault.active()).join(), /agent key mm/)
    await test.vault.act({ act: "agent_approved", name: "mm", expiresAtMs: 1, record: "r" })
    assert.deepEqual(warningsOf(test.vault.active()), [])
  })
})
