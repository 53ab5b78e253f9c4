import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { parseFileSet, type FileText, loadFiles } from "../../../src/vault/config/load-files.ts"
import { replay } from "../../../src/audit/replay.ts"
import { adminOf } from "../../support/admin-of.ts"
import {
  assertSigned,
  callOf,
  checkOf,
  limitOrder,
  openTestVault,
  type TestVault,
} from "../../support/open-test-vault.ts"

const dayMs = 86_400_000

describe("a replay of the past", () => {
  let test: TestVault
  const quantities = ["0.1", "0.2", "0.3", "0.4"]
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    for (const quantity of quantities)
      assertSigned(await test.sign(token, limitOrder({ quantity })))
  })
  after(() => test.remove())

  async function candidate(policy: string): Promise<readonly FileText[]> {
    const { texts } = await loadFiles(test.installation)
    return texts.map((file) => (file.name === "policies/0.yaml" ? { ...file, text: policy } : file))
  }

  function replayOf(texts: readonly FileText[], sinceMs = dayMs) {
    const files = parseFileSet(texts)
    assert.ok(files.ok)
    return adminOf(test).readLedger((ledger) =>
      replay(ledger, files.value, test.vault.now() - sinceMs),
    )
  }

  async function replayed(policy: string, sinceMs = dayMs) {
    return replayOf(await candidate(policy), sinceMs)
  }

  it("refuses nothing under the policies that allowed it", async () => {
    const { texts } = await loadFiles(test.installation)
    const answer = await replayOf(texts)
    assert.deepEqual(answer, { requests: 4, refusals: 0, refused: [] })
  })

  it("lists each request that another policy would refuse, with its reason", async () => {
    const cap = `policy: cap\nrules:\n  - {name: small, max_quantity: "0.2"}\n`
    const { requests, refusals, refused } = await replayed(cap)
    assert.deepEqual({ requests, refusals }, { requests: 4, refusals: 2 })
    for (const each of refused) {
      assert.match(each.record, /^rec_/)
      assert.deepEqual([each.reason, each.policy, each.rule], ["quantity_over_max", "cap", "small"])
    }
  })

  it("counts the other policy's limits from the first request on: exactly full passes", async () => {
    const limited = (max: string) =>
      `policy: l\nrules:\n  - {name: all, endpoints: [placeOrder]}\nlimits:\n  - {name: few, sum: submitted_quantity, window: 1d, max: "${max}"}\n`
    assert.equal((await replayed(limited("1"))).refusals, 0)
    const { refused } = await replayed(limited("0.9"))
    assert.deepEqual(
      refused.map(({ reason, rule }) => ({ reason, rule })),
      [{ reason: "limit_exhausted", rule: "few" }],
    )
  })

  it("changes nothing that is in force, and records nothing", async () => {
    const hash = test.vault.active().policyHash
    const records = await test.vault.ledger.count()
    await replayed("policy: none\nrules:\n  - {name: a, endpoints: [cancelAll]}\n")
    assert.equal(test.vault.active().policyHash, hash)
    assert.equal(await test.vault.ledger.count(), records)
  })

  it("judges shadows too, each by itself: they took no room", async () => {
    const token = await test.addClient({ name: "shadow", keys: ["mm"] })
    const before = await test.vault.ledger.count()
    for (const quantity of ["0.6", "0.6"]) {
      const call = checkOf(callOf(token, limitOrder({ quantity })))
      const answer = await test.bots.check({ ...call, shadow: true })
      assert.ok(answer.kind === "answer" && answer.report.would_sign)
      assert.match(answer.record ?? "", /^rec_/)
    }
    assert.equal(await test.vault.ledger.count(), before + 2)
    const { texts } = await loadFiles(test.installation)
    const same = await replayOf(texts)
    assert.deepEqual(same, { requests: 6, refusals: 0, refused: [] })
    const limited = `policy: l\nrules:\n  - {name: all, endpoints: [placeOrder]}\nlimits:\n  - {name: few, sum: submitted_quantity, window: 1d, max: "1"}\n`
    assert.equal((await replayed(limited)).refusals, 0)
    const capped = `policy: cap\nrules:\n  - {name: small, max_quantity: "0.5"}\n`
    const { refused } = await replayed(capped)
    assert.deepEqual(
      refused.map((each) => [each.client, each.reason]),
      [
        ["shadow", "quantity_over_max"],
        ["shadow", "quantity_over_max"],
      ],
    )
  })

  it("doesn't record a check without the header, nor what can't be read", async () => {
    const token = await test.addClient({ name: "plain", keys: ["mm"] })
    const before = await test.vault.ledger.count()
    await test.bots.check(checkOf(callOf(token, limitOrder())))
    const broken = checkOf(callOf(token, "{"))
    const answer = await test.bots.check({ ...broken, shadow: true })
    assert.ok(answer.kind === "answer" && answer.record === null)
    assert.equal(await test.vault.ledger.count(), before)
  })
})
