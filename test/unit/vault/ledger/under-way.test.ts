import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openUnderWay } from "../../../../src/vault/ledger/decide.ts"

describe("work that is under way", () => {
  it("ends when all has ended that had begun, well or not, and who waited went on", async () => {
    const underWay = openUnderWay()
    const slow = Promise.withResolvers<undefined>()
    const events: string[] = []
    const waiting = underWay.follow(slow.promise).then(() => events.push("went on"))
    const failing = underWay.follow(Promise.reject(new Error("failed"))).catch(() => undefined)
    const ended = underWay.ended().then(() => events.push("ended"))
    const later = new Promise(() => undefined)
    void underWay.follow(later)
    slow.resolve(undefined)
    await Promise.all([waiting, failing, ended])
    assert.deepEqual(events, ["went on", "ended"])
  })

  it("has ended where nothing was begun", async () => {
    await openUnderWay().ended()
  })
})
