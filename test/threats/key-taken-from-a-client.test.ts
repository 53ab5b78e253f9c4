import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { limitOrder, openTestVault, outcomeOf } from "../support/open-test-vault.ts"

describe("a key that an operator takes from a client while its requests are at work", () => {
  it("has signed its last for it once that is answered, and goes on for others", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    for (const name of ["mm", "other"]) await test.addKey({ name, role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm", "other"] })
    const neighbour = await test.addClient({ name: "neighbour", keys: ["mm"] })

    const events: string[] = []
    const ask = async (by: string): Promise<void> => {
      events.push(outcomeOf(await test.sign(by, limitOrder(), { key: "mm" })))
    }
    const before = Array.from({ length: 20 }, () => ask(token))
    const taken = test.admin
      .setClient({ name: "bot", keys: ["other"] })
      .then(() => events.push("taken"))
    const after = Array.from({ length: 20 }, () => ask(token))
    await Promise.all([...before, taken, ...after])

    assert.equal(events.filter((event) => event === "signed").length, 20)
    assert.equal(events.filter((event) => event === "key_not_allowed").length, 20)
    assert.equal(events.lastIndexOf("signed") < events.indexOf("taken"), true)
    await ask(neighbour)
    assert.equal(events.at(-1), "signed")
  })
})
