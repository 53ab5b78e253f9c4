import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { openBudgets } from "../../../../src/vault/budgets/budgets.ts"
import type { RequestRow } from "../../../../src/vault/ledger/records/row.ts"
import { countLastMinute } from "../../../../src/vault/request/recount.ts"
import { fakeClock, startMs } from "../../../support/fake-clock.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { nothingKept } from "../../../support/spending.ts"

const hourMs = 3_600_000

describe("the last minute, counted at a start", () => {
  let test: TestVault
  let request: RequestRow
  before(async () => {
    const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
    test = await openTestVault({ settings: "budgets: {}\n", venue })
    await test.addKey({ name: "mm", role: "agent" })
    const token = await test.addClient({ name: "bot", keys: ["mm"] })
    assertSigned(await test.sign(token, limitOrder()))
    for await (const each of test.vault.ledger.history(0)) request = each
  })
  after(() => test.remove())

  /** How much is used at a start at `startMs`, by requests that were counted then, and after so many milliseconds more. */
  async function usedAfter(countedAtMs: readonly number[], passMs: readonly number[]) {
    const clock = fakeClock()
    const budgets = openBudgets(clock)
    async function* history(sinceMs: number) {
      await Promise.resolve()
      for (const at of countedAtMs) if (at >= sinceMs) yield { ...request, counted_at: at }
    }
    const ledger = { history, budgets }
    await countLastMinute(test.vault.active(), { ledger, nowMs: startMs })
    return passMs.map((ms) => {
      clock.pass(ms)
      return budgets.stand("bot", nothingKept.ip, undefined).used
    })
  }

  it("ends 60.5 s after each request", async () => {
    const counted = [startMs - 60_500, startMs - 60_499, startMs - 500, startMs]
    assert.deepEqual(await usedAfter(counted, [0, 1, 59_998, 1, 500]), [3, 2, 2, 1, 0])
  })

  it("is that before the newest request where the clock was set back by an hour", async () => {
    const newestMs = startMs + hourMs
    const earlier = Array.from({ length: 100 }, (_, index) => startMs + 1 + index * 30_000)
    const counted = [...earlier, newestMs - 60_500, newestMs - 60_499, newestMs - 500, newestMs]
    assert.deepEqual(await usedAfter(counted, [0, 1, 59_998, 1, 500]), [3, 2, 2, 1, 0])
  })

  it("is also that before the clock's own time, where some lie ahead of it", async () => {
    const counted = [startMs - 60_000, startMs, startMs + hourMs - 30_000, startMs + hourMs]
    assert.deepEqual(await usedAfter(counted, [0, 500, 30_000, 30_000]), [4, 3, 2, 0])
  })
})
