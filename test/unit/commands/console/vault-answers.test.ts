import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { releasingAnswers, vaultAnswers } from "../../../../src/commands/console/answers.ts"
import type { Admin } from "../../../../src/commands/installation/admin.ts"
import { asks, type HoldDecision } from "../../../../src/console/asks.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import type { Installation } from "../../../../src/vault/config/installation.ts"
import { adminOf } from "../../../support/admin-of.ts"
import { calmFacts } from "../../../support/facts.ts"
import { limitOrder, openTestVault, writePolicies } from "../../../support/open-test-vault.ts"
import { setClock } from "../../../support/set-clock.ts"
import { statusView } from "../../../support/status-view.ts"

describe("what the console's command passes on of the vault", () => {
  it("is a status, decisions, records and a freeze, by who is behind it", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.sign(token, limitOrder())
    const called: string[] = []
    const vault = adminOf(test)
    const call: Admin["call"] = (method, params) => {
      called.push(method)
      return vault.call(method, params)
    }
    const answers = vaultAnswers({ ...vault, call }, { by: "console/alice", named: undefined })

    const look = asks.look.answer.parse(await answers.look({}))
    assert.deepEqual([look.state.signs, look.decided.allowed], ["all", 1])
    const { decisions } = asks.entries.answer.parse(await answers.entries({}))
    const [decision] = decisions
    assert.ok(decision !== undefined)
    assert.deepEqual([decision.client, decision.result], ["bot", "allowed"])

    const { record, symbols, place } = asks.record.answer.parse(
      await answers.record({ id: decision.record, seq: decision.seq }),
    )
    assert.equal(place?.seq, decision.seq)
    assert.match(record?.body ?? "", /"quantity":"0\.1"/)
    assert.equal(symbols.names["1"], "BTC-PERP")

    const freeze = await answers.freeze({ reason: "a drill" })
    assert.deepEqual(
      [freeze.scope, freeze.by, freeze.reason, freeze.cancels],
      ["all", "console/alice", "a drill", true],
    )
    assert.deepEqual(called, [
      "status",
      "facts",
      "listGuards",
      "listGrants",
      "listSymbols",
      ...["listSymbols", "explain"],
      "freeze",
    ])
  })

  it("names the installation where options named it, and says nothing of it otherwise", async () => {
    const answered = new Map<string, unknown>([
      ["facts", calmFacts],
      ["listGrants", []],
      ["listGuards", []],
    ])
    const call = ((method: string) =>
      Promise.resolve(answered.get(method) ?? statusView)) as unknown as Admin["call"]
    const whereOf = async (named: Installation | undefined) => {
      const vault = { call, readLedger: () => assert.fail("it reads no ledger") }
      const answers = vaultAnswers(vault, { by: "console/alice", named })
      return asks.look.answer.parse(await answers.look({})).where
    }
    assert.equal(await whereOf(undefined), "")
    assert.equal(await whereOf({ configDir: "/a b", stateDir: "/a b" }), " --dir '/a b'")
    const apart = await whereOf({ configDir: "/c", stateDir: "/s" })
    assert.equal(apart, " --config-dir /c --state-dir /s")
  })
})

describe("what a console that releases gets of the vault", () => {
  const policy = `policy: held
rules: [{name: all, endpoints: [placeOrder, setPositionMode]}]
hold: [{name: large, endpoints: [placeOrder, setPositionMode]}]
`

  async function holding(t: TestContext) {
    const test = await openTestVault({ policies: [policy] })
    t.after(() => test.remove())
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    const { weigh, decide, ...answers } = releasingAnswers(adminOf(test), {
      by: "console/alice",
      named: undefined,
    })
    assert.ok(weigh && decide)
    const order = () => test.sign(token, limitOrder({ quantity: "0.45" }))
    const mode = () =>
      test.sign(token, { position_mode: "hedge" }, { path: "/v1/account/position-mode" })
    const held = async () => {
      const [hold] = asks.look.answer.parse(await answers.look({})).holds
      assert.ok(hold)
      return hold
    }
    const word = (id: string, decision: HoldDecision = "released", typed = "") =>
      decide({ id, decision, typed, policy_hash: test.vault.active().policyHash })
    return { test, answers, weigh, decide, word, order, mode, held }
  }

  it("is held requests in words, and a release that is used once", async (t) => {
    const { test, answers, weigh, word, order, held } = await holding(t)
    const { policyHash: policy_hash } = test.vault.active()
    await order()
    const { id, words } = await held()
    assert.equal(words, "buy 0.45 BTC-PERP at 63,000 limit, worst 28,350 USD, held by held/large")
    const whole = asks.held.answer.parse(await answers.held({ id }))
    assert.equal(whole.words, words)
    assert.match(whole.body, /^ {4}is_buy: true\n.*\n {4}price: "63000"\n {4}quantity: "0.45"\n/s)
    assert.equal((await answers.look({})).may_release, true)
    assert.deepEqual(await weigh({ id }), { words, warnings: [], to_type: null, policy_hash })
    assert.equal((await word(id)).state, "released")
    assert.equal((await order()).kind, "answer")
    assert.equal((await order()).kind, "refused")
  })

  it("decides nothing by other files than those that worded it", async (t) => {
    const { test, weigh, decide, order, held } = await holding(t)
    await order()
    const { id } = await held()
    const { policy_hash } = await weigh({ id })
    await writePolicies(test.installation, [`${policy}# changed\n`])
    await reload(test.vault)
    for (const decision of ["released", "refused"] as const) {
      const decided = decide({ id, decision, typed: "", policy_hash })
      await assert.rejects(decided, { code: "usage", message: /have changed since/ })
    }
    assert.equal((await held()).id, id)
    const again = { id, decision: "released", typed: "", ...(await weigh({ id })) } as const
    assert.equal((await decide(again)).state, "released")
  })

  it("refuses one, after which it is held anew", async (t) => {
    const { word, order, held } = await holding(t)
    await order()
    const { id } = await held()
    assert.equal((await word(id, "refused")).state, "refused")
    await order()
    assert.notEqual((await held()).id, id)
  })

  it("releases what is about the whole account for its name alone, and refuses it without", async (t) => {
    const { weigh, word, mode, held } = await holding(t)
    await mode()
    const { id } = await held()
    assert.equal((await weigh({ id })).to_type, "setPositionMode")
    for (const typed of ["", "placeOrder", "setpositionmode", "setPositionMode "]) {
      await assert.rejects(word(id, "released", typed), {
        code: "usage",
        message: "It is about the whole account: type setPositionMode to release it.",
      })
    }
    assert.equal((await word(id, "released", "setPositionMode")).state, "released")
    assert.equal((await mode()).kind, "answer")
    await mode()
    assert.equal((await word((await held()).id, "refused")).state, "refused")
  })

  it("warns where the client's token has expired since, so that nothing asks for it again", async (t) => {
    const clock = setClock(t)
    const { test, weigh, order, held } = await holding(t)
    await test.admin.setClient({ name: "bot", expiresInMs: 5_000 })
    await order()
    const { id } = await held()
    assert.deepEqual((await weigh({ id })).warnings, [])
    clock.step(5_000)
    assert.deepEqual((await weigh({ id })).warnings, [
      "The token of bot has expired, so it is signed only once countersign clients renew bot gives it more time.",
    ])
  })

  it("warns of what has changed since, and decides nothing that waits no more", async (t) => {
    const { test, weigh, word, order, held } = await holding(t)
    await order()
    const { id } = await held()
    await writePolicies(test.vault.installation, [
      `${policy}deny: [{name: no, endpoints: [placeOrder]}]\n`,
    ])
    await test.admin.reload({})
    const [changed, now, ...others] = (await weigh({ id })).warnings
    assert.equal(changed, "The policies have changed since it was held.")
    assert.match(String(now), /^As all stands now it would be refused all the same: .*held\/no/)
    assert.deepEqual(others, [])
    await word(id, "refused")
    await assert.rejects(word(id), /This request waits no more; it is refused\./)
    await assert.rejects(weigh({ id: `hold_${"0".repeat(26)}` }), /waits no more; it is unknown/)
  })
})
