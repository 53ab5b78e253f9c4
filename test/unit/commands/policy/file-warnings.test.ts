import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { mainVenueText } from "../../../../src/commands/init/init-texts.ts"
import { fileWarnings } from "../../../../src/commands/policy/file-warnings.ts"
import { venueWarnings } from "../../../../src/commands/policy/venue-warnings.ts"
import { warningsOf } from "../../../../src/vault/status/warnings.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"

const uncounted = "endpoints:\n  placeBatch: {action_tag: 8}\n  cancelBatch: {action_tag: 9}\n"
const placing = "policy: p\nrules:\n  - {name: r, endpoints: [placeOrder]}\n"

describe("what policy check warns of", () => {
  it("is what the files tell by themselves, and nothing of keys and clients", async (t) => {
    const test = await openTestVault({
      venue: `${mainVenueText(undefined)}panic: [{operation: cancelAll, key: none, body: "{}"}]\n`,
      policies: [placing],
      settings: "budgets: {shares: {nobody: 10%}}\n",
    })
    t.after(() => test.remove())
    const set = test.vault.active()
    assert.match(
      fileWarnings(set).join(),
      /no cancel can be signed.*A panic freezes and can't cancel/,
    )
    assert.doesNotMatch(fileWarnings(set).join(), /there is no such/)
    assert.match(
      warningsOf(set, Date.now())
        .map(({ message }) => message)
        .join(),
      /no such key.*no such client/,
    )
  })

  it("is a batch whose orders can't be counted, with the line that says where they are", async (t) => {
    const test = await openTestVault({ venue: `${mainVenueText(undefined)}${uncounted}` })
    t.after(() => test.remove())
    const [warning = "", open = "", ...others] = venueWarnings(test.vault.active().profile).map(
      ({ message }) => message,
    )
    assert.match(open, /cancelBatch passes freezes.*cancelBatch: \{action_tag: 9, fields: \[/)
    assert.match(warning, /placeBatch is refused.*placeBatch: \{action_tag: 8, items: /)
    assert.deepEqual(others, [])
    assert.ok(fileWarnings(test.vault.active()).includes(warning))
  })
})
