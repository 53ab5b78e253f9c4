import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { logAccess } from "../../../../src/vault/console/log-access.ts"
import type { ConsoleSession } from "../../../../src/link/console-methods.ts"
import { pathsOf } from "../../../../src/vault/installation.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { readLedger } from "../../../support/read-ledger.ts"

const policy = `policy: mm
rules: [{name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}, {name: cancel, endpoints: [cancelOrder]}]
hold: [{name: large, endpoints: [placeOrder], where: [{pointer: /quantity, in: ["0.6"]}], ttl: 5m}]
`

let test: TestVault
let token: string
beforeEach(async () => {
  test = await openTestVault({ policies: [policy] })
  await test.addKey({ name: "mm", role: "agent" })
  token = await test.addClient({ name: "bot", keys: ["mm"] })
})
afterEach(() => test.remove())

async function logIn(): Promise<ConsoleSession> {
  const { secret } = await test.admin.linkConsole()
  const opened = await test.bots.openConsole({ secret })
  assert.ok(opened.kind === "answer")
  return opened.session
}

async function decisionsOf(session: ConsoleSession, after?: number) {
  const answer = await test.bots.consoleDecisions({ session, after })
  assert.ok(answer.kind === "answer")
  return answer.feed
}

describe("the calls about the console", () => {
  it("make a link that says where the gate listens, and take it once", async () => {
    const { secret, ...link } = await test.admin.linkConsole()
    assert.deepEqual(link, { valid_for_ms: 60_000, host: "127.0.0.1", port: 8420 })
    const before = Date.now()
    const opened = await test.bots.openConsole({ secret })
    assert.ok(opened.kind === "answer")
    assert.ok(opened.ends_at >= before + 12 * 3_600_000)
    assert.ok(opened.ends_at <= Date.now() + 12 * 3_600_000)
    assert.equal(outcomeOf(await test.bots.openConsole({ secret })), "unauthorized")
  })

  it("answer nothing and freeze nothing without a session", async () => {
    const { proof } = await logIn()
    const session = { cookie: "A".repeat(43), proof }
    for (const refused of [
      await test.bots.consoleState({ session }),
      await test.bots.consoleDecisions({ session }),
      await test.bots.consoleFreeze({ session, reason: "mine" }),
      await test.bots.closeConsole({ session }),
    ]) {
      assert.equal(outcomeOf(refused), "unauthorized")
      assert.deepEqual(Object.keys(refused), ["kind", "refusal", "record"])
    }
    assert.deepEqual(test.vault.active().freezes, [])
  })

  it("show the state until the session is closed", async () => {
    const session = await logIn()
    const shown = await test.bots.consoleState({ session })
    assert.ok(shown.kind === "answer")
    assert.equal(shown.state.state, "ready")
    assert.equal(outcomeOf(await test.bots.closeConsole({ session })), "signed")
    assert.equal(outcomeOf(await test.bots.consoleState({ session })), "unauthorized")
  })

  it("tell what was decided, from before the session too", async () => {
    const cancel = { order_id: "7" }
    await test.sign(token, limitOrder())
    await test.sign(token, cancel, { path: cancelPath, key: "mm" })
    const session = await logIn()
    await test.sign(token, limitOrder({ symbol_id: 2 }))
    await test.sign(token, limitOrder({ quantity: "0.6" }))
    await test.sign(token, "no JSON")
    const { decisions, missed, last } = await decisionsOf(session)
    assert.deepEqual(
      decisions.map(({ result, asked, by, reason }) => [result, asked, by, reason]),
      [
        ["allowed", "buy 0.1 BTC-PERP at 63000, limit", "mm/quote", null],
        ["allowed", "order_id 7", "mm/cancel", null],
        ["refused", "buy 0.1 ETH-PERP at 63000, limit", "mm/quote", "symbol_not_allowed"],
        ["held", "buy 0.6 BTC-PERP at 63000, limit", null, "approval_required"],
        ["refused", null, null, "invalid_json"],
      ],
    )
    assert.deepEqual([missed, last], [0, 5])
    const records = await Promise.all(
      decisions.map(({ record: id }) => test.bots.record({ token, id })),
    )
    assert.deepEqual(
      records.map(outcomeOf),
      Array.from(decisions, () => "signed"),
    )
    assert.deepEqual(
      (await decisionsOf(session, 4)).decisions.map(({ seq }) => seq),
      [5],
    )
  })

  it("record nothing more of a request for having it shown", async () => {
    await test.sign(token, limitOrder({ symbol_id: 2 }))
    const { ledgerFile } = pathsOf(test.installation)
    await test.close()
    assert.ok(!JSON.stringify(readLedger(ledgerFile)).includes("63000"))
  })

  it("freeze everything but what reduces risk, recorded as the console's", async () => {
    const session = await logIn()
    const answer = await test.bots.consoleFreeze({ session, reason: "the feed looks wrong" })
    assert.ok(answer.kind === "answer")
    const { since, ...made } = answer.freeze
    assert.deepEqual(made, {
      ...{ scope: "all", name: null, reason: "the feed looks wrong" },
      ...{ by: "console/operator", cancels: true },
    })
    assert.ok(since > 0)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "frozen")
    const cancelled = await test.sign(token, { order_id: "7" }, { path: cancelPath })
    assert.equal(outcomeOf(cancelled), "signed")
    const { ledgerFile } = pathsOf(test.installation)
    await test.close()
    const rows = readLedger(ledgerFile).map((row) => JSON.stringify(row))
    assert.equal(rows.filter((row) => row.includes("console/operator")).length, 2) // and the refusal
  })

  it("make no freeze milder that stops cancels too", async () => {
    await test.admin.freeze({ scope: "all", name: null, reason: "all of it", cancels: false })
    const answer = await test.bots.consoleFreeze({ session: await logIn(), reason: "again" })
    assert.ok(answer.kind === "answer")
    assert.equal(answer.freeze.cancels, false)
  })

  it("leave lines in the log that have no secret", (t) => {
    const written: string[] = []
    t.mock.method(process.stderr, "write", (text: string) => written.push(text) > 0)
    logAccess({ kind: "link_made" })
    logAccess({ kind: "session_opened" })
    logAccess({ kind: "session_ended", why: "silent" })
    t.mock.restoreAll()
    const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepEqual(
      lines.map(({ level, event, message }) => [level, event, message]),
      [
        ["info", "console_link_made", undefined],
        ["info", "console_session_opened", undefined],
        ["info", "console_session_ended", "Nothing was heard of it for 15 minutes."],
      ],
    )
  })
})
