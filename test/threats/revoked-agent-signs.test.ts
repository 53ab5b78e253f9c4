import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  limitOrder,
  openTestVault,
  outcomeOf,
  readBody,
  type SignedAnswer,
} from "../support/open-test-vault.ts"

describe("an agent that is revoked while its requests are at work", () => {
  it("has signed its last once the revocation is answered", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })

    const events: string[] = []
    const ask = () =>
      test.sign(token, limitOrder()).then((answer) => {
        events.push(outcomeOf(answer))
        return answer
      })
    const before = Array.from({ length: 20 }, ask)
    const revoked = test.vault
      .act({ act: "agent_revoked", name: "mm", record: "rec_1" })
      .then(() => events.push("revoked"))
    const after = Array.from({ length: 20 }, ask)
    const answers = await Promise.all([...before, ...after])
    await revoked

    assert.equal(events.lastIndexOf("signed") < events.indexOf("revoked"), true)
    const signed = answers.filter((answer): answer is SignedAnswer => answer.kind === "answer")
    assert.equal(signed.length, 20)
    assert.equal(new Set(signed.map((answer) => readBody(answer)["nonce"])).size, 20)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "agent_revoked")
  })
})
