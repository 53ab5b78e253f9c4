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

const { keysPanel } = await import("../../../../src/console/page/views/gauges.ts")
const { limitsPanel } = await import("../../../../src/console/page/views/gauges.ts")
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
  shares: [],
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

  it("show what is kept of a budget for each client, and what of it the client used", () => {
    const shares = [
      { client: "maker", kept: 480, used: 1_500 },
      { client: "taker", kept: 240, used: 0 },
    ]
    const words = wordsOf(panel([], [{ ...budget, shares }]))
    assert.match(words, / maker 1,500 of its 480 taker 0 of its 240 /)
    assert.doesNotMatch(wordsOf(panel([], [budget])), /of its/)
  })
})

describe("the console's keys", () => {
  const panel = (changes: Partial<Key>) => keysPanel(shown({ keys: [{ ...key, ...changes }] }))
  const words = (changes: Partial<Key>) => wordsOf(panel(changes))

  it("say how long an approval lasts, marked in its last week and its last day", () => {
    for (const [leftMs, said, tone] of [
      [7 * dayMs, "7 d left", undefined],
      [7 * dayMs - 1, "6 d left", "nearly"],
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
  const nothing = () => undefined
  const actions = { pause: nothing, onlyNoes: nothing, open: nothing, filter: nothing }
  const quiet = { paused: undefined, onlyNoes: false, filter: {}, opened: undefined }
  const table = (rows: readonly Decision[], changes = {}) =>
    decisionsTable({ ...shown({}), decisions: rows, noes: rows }, { ...quiet, ...changes }, actions)

  it("say what was decided of whom, by what and why", () => {
    assert.match(
      wordsOf(table([allowedRow])),
      /✓ allowed buy 0\.1 BTC-PERP at 63000, limit maker · agent everyday\/orders/,
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
    const model = { ...shown({}), decisions: [refusedRow] }
    const again = { ...model, repeats: new Map([[refusedRow.record, 1_233]]) }
    assert.match(wordsOf(decisionsTable(again, quiet, actions)), /refused × 1,234 /)
  })

  it("are at most 200 rows of all that are kept, and of those that fit the filter", () => {
    const many = Array.from({ length: 300 }, (_, n) => ({ ...allowedRow, seq: 300 - n }))
    const rare = { ...refusedRow, seq: 0, client: "taker" }
    const count = (rows: string, word: string) => rows.split(word).length - 1
    const all = wordsOf(table([...many, rare]))
    assert.deepEqual([count(all, "✓ allowed"), count(all, "✕ refused")], [200, 0])
    const some = wordsOf(table([...many, rare], { filter: { client: "taker" } }))
    assert.deepEqual([count(some, "✓ allowed"), count(some, "✕ refused")], [0, 1])
    const none = wordsOf(table([...many, rare], { filter: { client: "nobody" } }))
    assert.match(none, /Nothing that is kept here fits the filter/)
  })

  it("say of a paper key's that it is paper", () => {
    assert.match(wordsOf(table([{ ...allowedRow, is_paper: true }])), /PAPER · maker · agent/)
    assert.doesNotMatch(wordsOf(table([allowedRow])), /PAPER/)
  })

  it("say how many entries of the ledger came too fast", () => {
    const words = (skipped: number) =>
      wordsOf(decisionsTable({ ...shown({}), skipped }, quiet, actions))
    assert.doesNotMatch(words(0), /too fast/)
    assert.match(words(1_234), / 1,234 entries of the ledger came too fast to be read here/)
  })

  it("open below their row, once the record was read", () => {
    const opened = (known: object) =>
      wordsOf(table([allowedRow], { opened: { seq: allowedRow.seq, known } }))
    assert.match(opened({ kind: "asked" }), /Reading its record/)
    assert.match(opened({ kind: "failed", why: "The vault is away." }), /The vault is away\./)
    assert.match(opened({ kind: "told", record: null }), /it was archived/)
    assert.match(
      opened({ kind: "told", record }),
      / Asked buy 0\.1 BTC-PERP at 63000, limit Operation placeOrder Now /,
    )
    assert.doesNotMatch(
      wordsOf(table([allowedRow], { opened: { seq: 2, known: { kind: "asked" } } })),
      /Reading/,
    )
  })
})

const verdict: NonNullable<RecordShown["verdicts"]>[number] = {
  ...{ policy: "desk", rule: "quote", file: "policies/desk.yaml", line: 3 },
  ...{ verdict: "allows", reason: null },
}
const record: RecordShown = {
  ...{ state: "accepted", outcome: { status: 200, code: "0" }, operation: "placeOrder" },
  ...{ asked: "buy 0.1 BTC-PERP at 63000, limit", body: '{"quantity":"0.1"}' },
  ...{ policy_hash: "0x12", nonce: 7, expires_after: null, idempotency_key: "k-1", refusal: null },
  ...{ place: { seq: 1_234, hash: "ab12", head: 5_678 }, verdicts: [verdict] },
}

describe("the console's record", () => {
  const words = (changes: Partial<RecordShown>, policyHash = "0x12") =>
    wordsOf(
      recordRow(
        { id: "rec_1", policyHash },
        { seq: 1, known: { kind: "told", record: { ...record, ...changes } } },
      ),
    )

  it("says what was asked, what each rule said, what became of it, and where it is in the chain", () => {
    const shown = words({})
    for (const said of [
      /Now accepted by the venue, status 200, code 0/,
      /Verdicts desk\/quote allows policies\/desk\.yaml:3/,
      /Body \{"quantity":"0\.1"\}/,
      /Signed nonce 7/,
      /Idempotency k-1/,
      /Record rec_1/,
      /Chain entry 1,234 of 5,678, ab12/,
    ]) {
      assert.match(shown, said)
    }
    assert.doesNotMatch(shown, /Refusal|don't match|in force now/)
  })

  it("counts the rules that aren't about it, and says which one denied it", () => {
    const other = { ...verdict, verdict: "does_not_match" as const }
    const denies = { ...verdict, verdict: "denies" as const, reason: "quantity_over_max" }
    const shown = words({ verdicts: [denies, other, other] })
    assert.match(shown, /desk\/quote denies quantity_over_max .* 2 other rules don't match/)
  })

  it("says where the policies aren't those that it was decided by any more", () => {
    assert.match(words({}, "0x34"), /These are of the policies in force now\. .* policies 0x12/)
    assert.doesNotMatch(words({}), /in force now/)
  })

  it("says of a refusal why, and that its body isn't recorded", () => {
    const refusal = { code: "policy_denied", message: "Refused by policy: too large." }
    const refused = { state: "refused_here", outcome: null, asked: null, body: null, refusal }
    const shown = words({ ...refused, nonce: null, verdicts: null })
    assert.match(
      shown,
      /^ ?Operation placeOrder Now refused here Refusal policy_denied Refused by policy: too large\./,
    )
    assert.match(shown, /Body That of a refusal isn't recorded\. Signed no /)
    assert.match(shown, /Decided by the policies 0x12/)
  })

  it("says where the ledger has its entry no more", () => {
    assert.match(words({ place: null }), /Chain The ledger has its entry no more/)
  })
})
