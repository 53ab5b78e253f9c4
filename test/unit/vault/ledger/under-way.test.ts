import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openUnderWay } from "../../../../src/vault/ledger/decide.ts"

describe("work that is under way", () => {
  it("has ended when all has that had begun, and who waited went on", async () => {
    const underWay = openUnderWay()
    const ends = [underWay.begin(), underWay.begin()]
    const events: string[] = []
    const ended = underWay.ended().then(() => events.push("ended"))
    underWay.begin() // later
    for (const end of ends) {
      assert.equal(events.includes("ended"), false)
      end()
      void Promise.resolve().then(() => events.push("went on"))
    }
    await ended
    assert.deepEqual(events, ["went on", "went on", "ended"])
  })

  it("has ended where nothing was begun", async () => {
    await openUnderWay().ended()
  })
})
