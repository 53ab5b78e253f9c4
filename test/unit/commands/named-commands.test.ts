import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { leafOf, namings, parseCommand } from "../../support/named-commands.ts"

describe("a command that a text names", () => {
  const all = namings()

  it("exists, wherever in the source it is named", async () => {
    assert.ok(all.length > 200, `${all.length} are found`)
    for (const { place, text } of all) {
      assert.ok((await leafOf(text)) !== undefined, `${place}: ${text}`)
    }
  })

  it("can be typed as it is, where it is all that is said", async () => {
    const whole = all.filter(({ isWhole }) => isWhole)
    assert.ok(whole.length > 20, `${whole.length} are found`)
    for (const { place, text } of whole) {
      await assert.doesNotReject(parseCommand(text), `${place}: ${text}`)
    }
  })

  it("is found out where it doesn't exist", async () => {
    assert.equal(await leafOf("countersign ledger accept"), undefined)
    assert.equal(await leafOf("countersign status says why"), "status")
    await assert.rejects(parseCommand("countersign ledger accept"), /unknown command 'accept'/)
    await assert.rejects(parseCommand("countersign unlock --now"), /unknown option '--now'/)
    await parseCommand("countersign ledger accept-restore --dir /d")
  })
})
