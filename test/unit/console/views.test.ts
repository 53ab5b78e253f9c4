import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { emptyModel } from "../../../src/console/model.ts"
import type { ConsoleBudget, ConsoleState } from "../../../src/link/console-views.ts"
import type { KeyView, LimitUse } from "../../../src/link/bot-views.ts"
import { markupOf, wordsOf } from "../../support/console-page.ts"
import { consoleState } from "../../support/fake-vault.ts"

const { keysPanel } = await import("../../../src/console/views/keys.ts")
const { limitsPanel } = await import("../../../src/console/views/limits.ts")

const dayMs = 86_400_000
const nowMs = 100 * dayMs

const limit: LimitUse = {
  ...{ policy: "everyday", limit: "a_day", file: "everyday.yaml", line: 3, mode: "enforce" },
  ...{ per: "client", for: "maker", of: "BTC-PERP", max: "1000", used: "250" },
}
const budget: ConsoleBudget = {
  ...{ scope: "ip", address: null, max: 1_200, used: 0, kept_for_cancels: 0 },
}
const key: KeyView = {
  ...{ name: "agent", address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F", role: "agent" },
  ...{ wallet: "main", targets: [], network: "test", approval: "approved", expires_at: null },
  ...{ last_used: null, locked: false },
}

const shown = (changes: Partial<ConsoleState>) => ({
  ...emptyModel,
  state: { ...consoleState, at: nowMs, ...changes },
})

describe("the console's limits and budgets", () => {
  const panel = (limits: readonly LimitUse[], budgets: readonly ConsoleBudget[] = []) =>
    limitsPanel(shown({ limits, budgets }))
  const words = (changes: Partial<LimitUse>) => wordsOf(panel([{ ...limit, ...changes }]))

  it("say what is used of how much, for whom, and what is left", () => {
    const nearly = words({ max: "1000000.5", used: "999999.25" })
    assert.match(nearly, /everyday\/a_day 999,999\.25 of 1,000,000\.5 client maker, BTC-PERP/)
    assert.match(nearly, /less than 1 % left/)
    assert.match(words({ per: "all", for: "", of: "" }), /counted for all 75 % left/)
    assert.match(words({ mode: "observe" }), /BTC-PERP, only observed/)
  })

  it("are spent when nothing is left, when they were overrun, and where nothing is allowed", () => {
    for (const [used, max] of [
      ["1000", "1000"],
      ["1001", "1000"],
      ["0", "0"],
      ["5", "0"],
    ] as const) {
      assert.match(words({ used, max }), / spent $/, `${used} of ${max}`)
    }
    assert.match(words({ used: "999.9" }), / less than 1 % left $/)
  })

  it("are marked from four fifths on, and otherwise where they are spent", () => {
    const markup = (used: string) => markupOf(panel([{ ...limit, used }]))
    assert.doesNotMatch(markup("799"), /nearly/)
    assert.match(markup("800"), /class="meter nearly"/)
    assert.match(markup("999"), /class="meter nearly"/)
    assert.match(markup("1000"), /class="meter spent"/)
  })

  it("come the fullest first, whichever they are", () => {
    const said = wordsOf(panel([limit], [budget, { ...budget, used: 600 }]))
    assert.match(said, / 600 of 1,200 .* 250 of 1,000 .* 0 of 1,200 /)
  })

  it("show from where on only cancels go through, where some is kept for them", () => {
    const kept = panel([], [{ ...budget, kept_for_cancels: 300 }])
    assert.match(wordsOf(kept), /300 kept for cancels/)
    assert.match(markupOf(kept), /class="kept" x=75 width=25 /)
    assert.doesNotMatch(markupOf(panel([], [budget])), /kept/)
  })
})

describe("the console's keys", () => {
  const panel = (changes: Partial<KeyView>) => keysPanel(shown({ keys: [{ ...key, ...changes }] }))
  const words = (changes: Partial<KeyView>) => wordsOf(panel(changes))

  it("say how long an approval lasts, marked in its last week and its last day", () => {
    for (const [leftMs, said, tone] of [
      [7 * dayMs, "7 days left", undefined],
      [7 * dayMs - 1, "6 days left", "nearly"],
      [dayMs, "24 h left", "nearly"],
      [dayMs - 1, "23 h left", "spent"],
      [1, "0 s left", "spent"],
      [0, "has ended", "spent"],
    ] as const) {
      const ending = panel({ expires_at: nowMs + leftMs })
      assert.ok(wordsOf(ending).includes(` ${said} `), said)
      assert.equal(/class=(nearly|spent)\b/.exec(markupOf(ending))?.[1], tone, said)
    }
  })

  it("say what an approval is where it doesn't count down", () => {
    assert.match(words({}), / approved /)
    assert.match(words({ approval: "unknown" }), / not approved yet /)
    assert.match(words({ approval: "revoked" }), / revoked /)
    assert.match(words({ role: "wallet", wallet: null }), / needs none /)
  })

  it("say when they signed last and that they are locked", () => {
    assert.match(words({}), / never /)
    assert.doesNotMatch(words({}), /locked/)
    assert.match(words({ locked: true, last_used: nowMs - 3 * 60_000 }), / locked .* 3 min ago /)
  })
})
