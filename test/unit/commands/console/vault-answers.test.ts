import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { vaultAnswers } from "../../../../src/commands/console/vault-answers.ts"
import type { Admin } from "../../../../src/commands/installation/admin.ts"
import { asks } from "../../../../src/console/asks.ts"
import { limitOrder, openTestVault } from "../../../support/open-test-vault.ts"

describe("what the console's command passes on of the vault", () => {
  it("is a status, decisions, records and a freeze, by who is behind it", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.sign(token, limitOrder())
    const called: string[] = []
    const call = ((method: keyof typeof test.admin, params: never) => {
      called.push(method)
      return (test.admin[method] as (params: never) => unknown)(params)
    }) as Admin["call"]
    const answers = vaultAnswers({ call }, "console/alice")

    const look = asks.look.answer.parse(await answers.look({}))
    assert.deepEqual([look.state.signs, look.recorded, look.decided.allowed], ["all", 1, 1])
    const [decision] = look.decisions
    assert.deepEqual([decision?.client, decision?.result], ["bot", "allowed"])

    const { record, symbols } = asks.record.answer.parse(
      await answers.record({ id: decision?.record ?? "" }),
    )
    assert.match(record?.body ?? "", /"quantity":"0\.1"/)
    assert.equal(symbols.names["1"], "BTC-PERP")

    const freeze = await answers.freeze({ reason: "a drill" })
    assert.deepEqual(
      [freeze.scope, freeze.by, freeze.reason, freeze.cancels],
      ["all", "console/alice", "a drill", true],
    )
    assert.deepEqual(called, ["status", "auditDecisions", "auditRecord", "listSymbols", "freeze"])
  })
})
