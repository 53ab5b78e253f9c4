import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { emptyModel } from "../../../../src/console/page/model.ts"
import type {
  Budget,
  Decision,
  Key,
  Limit,
  Look,
  RecordShown,
} from "../../../../src/console/asks.ts"
import { markupOf, wordsOf } from "../../../support/console-page.ts"
import { allowedRow, quietLook, refusedRow } from "../../../support/console-look.ts"

const { keysPanel } = await import("../../../../src/console/page/views/keys.ts")
const { limitsPanel } = await import("../../../../src/console/page/views/limits.ts")
const { decisionsTable } = await import("../../../../src/console/page/views/decisions.ts")
const { recordRow } = await import("../../../../src/console/page/views/record.ts")

const dayMs = 86_400_000
const nowMs = 100 * dayMs

const limit: Limit = {
  ...{ policy: "everyday", limit: "a_day", mode: "enforce" },
  ...{ per: "client", for: "maker", of: "BTC-PERP", max: "1000", used: "250" },
}
const budget: Budget = {
  ...{ scope: "ip", address: null, max: 1_200, used: 0, kept_for_cancels: 0 },
}
const key: Key = {
  ...{ name: "agent", address: "0x71C7656EC7ab88b098defB751B7401B5f6d8976F", role: "agent" },
  ...{ wallet: "main", approval: "approved", expires_at: null },
  ...{ last_used: null, locked: false },
}

const shown = (changes: Partial<Look>) => ({
  ...emptyModel,
  look: { ...quietLook, at: nowMs, ...changes },
})

describe("the console's limits and budgets", () => {
  const panel = (limits: readonly Limit[], budgets: readonly Budget[] = []) =>
    limitsPanel(shown({ limits, budgets }))
  const words = (changes: Partial<Limit>) => wordsOf(panel([{ ...limit, ...changes }]))

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
  const panel = (changes: Partial<Key>) => keysPanel(shown({ keys: [{ ...key, ...changes }] }))
  const words = (changes: Partial<Key>) => wordsOf(panel(changes))

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

describe("the console's decisions", () => {
  const actions = { pause: () => undefined, onlyNoes: () => undefined, open: () => undefined }
  const quiet = { paused: undefined, onlyNoes: false, opened: undefined }
  const table = (rows: readonly Decision[], changes = {}) =>
    decisionsTable({ ...shown({}), decisions: rows, noes: rows }, { ...quiet, ...changes }, actions)

  it("say what was decided of whom, by what and why", () => {
    assert.match(
      wordsOf(table([allowedRow])),
      /✓ allowed placeOrder maker · agent everyday\/orders/,
    )
    assert.match(
      wordsOf(table([refusedRow])),
      /✕ refused placeOrder order_too_large The order is larger than 5\. maker · agent/,
    )
    const unreadable = { ...refusedRow, operation: null, key: null, by: null }
    assert.match(wordsOf(table([unreadable])), / couldn't be read .* maker – /)
  })

  it("say a policy's reason once", () => {
    const message = "Refused by policy: order_too_large (everyday/orders, a.yaml:3); asked 6."
    const words = wordsOf(table([{ ...refusedRow, message }]))
    assert.match(words, / order_too_large \(everyday\/orders, a\.yaml:3\); asked 6\. /)
  })

  it("count a refusal that came again on its row", () => {
    assert.doesNotMatch(wordsOf(table([refusedRow])), /×/)
    assert.match(wordsOf(table([{ ...refusedRow, times: 1_234 }])), /refused × 1,234 /)
  })

  it("open below their row, once the record was read", () => {
    const record: RecordShown = {
      ...{ state: "accepted", outcome: { status: 200, code: "0" } },
      ...{ asked: "buy 0.1 BTC-PERP at 63000, limit", body: '{"quantity":"0.1"}' },
    }
    const opened = (known: object) =>
      wordsOf(table([allowedRow], { opened: { seq: allowedRow.seq, known } }))
    assert.match(opened({ kind: "asked" }), /Reading its record/)
    assert.match(opened({ kind: "failed", why: "The vault is away." }), /The vault is away\./)
    assert.match(opened({ kind: "told", record: null }), /it was archived/)
    assert.match(
      opened({ kind: "told", record }),
      /Asked buy 0\.1 BTC-PERP at 63000, limit Now accepted by the venue, status 200, code 0 Record rec_0+ Body \{"quantity":"0\.1"\}/,
    )
    assert.doesNotMatch(
      wordsOf(table([allowedRow], { opened: { seq: 2, known: { kind: "asked" } } })),
      /Reading/,
    )
  })

  it("say of a refusal that its body isn't recorded", () => {
    const record: RecordShown = { state: "refused_here", outcome: null, asked: null, body: null }
    const words = wordsOf(recordRow("rec_1", { seq: 1, known: { kind: "told", record } }))
    assert.match(words, /^ ?Now refused here Record rec_1 Body That of a refusal isn't recorded\./)
  })
})
