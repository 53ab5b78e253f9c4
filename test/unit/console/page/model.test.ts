import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Decision, Look } from "../../../../src/console/asks.ts"
import {
  emptyModel,
  maxKept,
  newsIn,
  standingOf,
  timesOf,
  withHistory,
  withLook,
  withoutConsole,
  withoutVault,
  type Model,
} from "../../../../src/console/page/model.ts"
import { entriesOf, lookOf, noEntries, quietLook } from "../../../support/console-look.ts"
import { numRuns } from "../../../support/runs.ts"

const told = (model: Model, changes: Partial<Look>): Model =>
  withLook(model, { ...quietLook, ...changes })

/** A page that looked when the ledger had five entries, of which it was told the last two. */
const opened = withLook(emptyModel, lookOf(5, ["refused", "allowed"]))

const seqs = (rows: readonly Decision[]) => rows.map(({ seq }) => seq)

describe("the console's model", () => {
  it("keeps the look that it was told last, and a sample of what is counted", () => {
    const counted = {
      ...{ at: 7_000, decided: { allowed: 3, refused: 2, held: 1 } },
      signing: { bounds: [0.1], counts: [4, 5] },
    }
    const model = told(withLook(emptyModel, quietLook), counted)
    assert.deepEqual(model.connection, { kind: "live" })
    assert.equal(model.look?.at, 7_000)
    const sample = model.samples.at(-1)
    assert.deepEqual(sample, { atMs: 7_000, allowed: 3, refused: 2, answers: [4, 5] })
  })

  it("puts new decisions before the others, and those that said no in a list of their own", () => {
    const model = withLook(opened, lookOf(8, ["allowed", "held", "refused"]))
    assert.deepEqual(seqs(model.decisions), [8, 7, 6, 5, 4])
    assert.deepEqual(seqs(model.noes), [8, 7, 4])
    assert.deepEqual(model.read, { first: 4, last: 8 })
  })

  it("puts what was before it looked behind the others", () => {
    const model = withHistory(
      withLook(opened, lookOf(6, ["allowed"])),
      entriesOf(3, ["refused", "allowed", "held"]),
    )
    assert.deepEqual(seqs(model.decisions), [6, 5, 4, 3, 2, 1])
    assert.deepEqual(seqs(model.noes), [4, 3, 1])
    assert.deepEqual(model.read, { first: 1, last: 6 })
  })

  it("keeps as many rows as it says and no more, the newest", () => {
    const many = Array.from({ length: maxKept }, () => "refused" as const)
    const full = withLook(emptyModel, lookOf(maxKept, many))
    const { decisions, noes } = withLook(full, lookOf(maxKept + 1, ["refused"]))
    for (const rows of [decisions, noes]) {
      assert.equal(rows.length, maxKept)
      assert.equal(rows[0]?.seq, maxKept + 1)
      assert.equal(rows.at(-1)?.seq, 2)
    }
    assert.deepEqual(withHistory(full, entriesOf(0, ["refused"])).decisions, full.decisions)
  })

  it("lets a refusal stay while allowed requests push it out of the other list", () => {
    const many = Array.from({ length: maxKept }, () => "allowed" as const)
    const { decisions, noes } = withLook(opened, lookOf(5 + maxKept, many))
    assert.ok(decisions.every(({ result }) => result === "allowed"))
    assert.deepEqual(seqs(noes), [4])
  })

  it("counts a refusal that came again, whichever of the two it is told first", () => {
    const again = (count: number, record: string | null = "rec_4") => ({
      ...lookOf(6, ["allowed"]).news,
      repeats: [{ record, at: 1_000, count }],
    })
    const times = (model: Model) => model.noes.map((row) => timesOf(row, model))
    assert.deepEqual(times(opened), [1])
    const once = told(opened, { news: again(11) })
    assert.deepEqual(times(once), [12])
    assert.deepEqual(times(told(once, { news: again(3) })), [15])
    // Those that weren't recorded are on nobody's row.
    assert.deepEqual(times(told(once, { news: again(3, null) })), [12])

    const before = told(emptyModel, { news: again(11) })
    assert.deepEqual(times(withHistory(before, entriesOf(5, ["refused", "allowed"]))), [12])
  })

  it("counts the entries that it wasn't told", () => {
    assert.equal(opened.skipped, 0)
    const busy = told(opened, { news: { ...entriesOf(105, ["allowed"]), skipped: 99 } })
    assert.equal(busy.skipped, 99)
    assert.equal(withLook(busy, lookOf(106, ["allowed"])).skipped, 99)
  })

  it("goes on after what it knew when it was cut off", () => {
    const gone = withoutConsole(opened, "Nobody answers.")
    assert.deepEqual(gone.connection, { kind: "lost", why: "Nobody answers." })
    assert.deepEqual(seqs(gone.decisions), [5, 4])
    assert.deepEqual(seqs(withLook(gone, lookOf(6, ["allowed"])).decisions), [6, 5, 4])
  })

  it("has news of what fell since it looked, and none of what was before", () => {
    assert.deepEqual(newsIn(emptyModel, lookOf(5, ["refused"])), [])
    assert.deepEqual(seqs(newsIn(opened, lookOf(6, ["refused"]))), [6])
    const again = withoutVault(opened, "Nobody answers.")
    assert.deepEqual(seqs(newsIn(again, lookOf(7, ["allowed", "refused"]))), [7, 6])
    const quiet = withLook(emptyModel, quietLook)
    assert.deepEqual(seqs(newsIn(quiet, lookOf(1, ["refused"]))), [1])
  })

  it("keeps what it knew while the vault is away", () => {
    const away = withoutVault(opened, "The vault doesn't answer.")
    assert.deepEqual(away.connection, { kind: "away", why: "The vault doesn't answer." })
    assert.equal(away.look, opened.look)
    assert.deepEqual(told(away, {}).connection, { kind: "live" })
  })

  it("begins the lines of the plots with what was before it looked", () => {
    const atMs = 600_000
    const decided = { allowed: 10, refused: 4, held: 0 }
    const first = told(emptyModel, { at: atMs, decided, news: { ...noEntries, is_end: false } })
    assert.deepEqual(
      first.samples.map((each) => each.atMs),
      [atMs],
    )
    const row = (result: Decision["result"], beforeMs: number) => {
      const [decision] = entriesOf(1, [result]).decisions
      return { ...decision!, at: atMs - beforeMs }
    }
    const history = {
      ...{ ...noEntries, is_end: false, since: atMs - 2_500 },
      decisions: [row("allowed", 500), row("allowed", 1_500), row("refused", 2_500)],
    }
    const model = withHistory(told(first, { at: atMs + 1_000, decided }), history)
    assert.deepEqual(
      model.samples.map((each) => [each.atMs - atMs, each.allowed, each.refused]),
      [
        [-2_000, 8, 4],
        [-1_000, 9, 4],
        [0, 10, 4],
        [1_000, 10, 4],
      ],
    )
  })

  it("has rows that are bounded, newest first and each shown once, whatever it is told", () => {
    const results = fc.array(fc.constantFrom("allowed", "refused", "held"), { maxLength: 300 })
    fc.assert(
      fc.property(fc.array(results, { maxLength: 6 }), (looks) => {
        let last = 0
        let model: Model = emptyModel
        for (const each of looks) model = withLook(model, lookOf((last += each.length), each))
        assert.equal(model.decisions.length, last)
        for (const rows of [model.decisions, model.noes]) {
          assert.ok(
            rows.every(({ seq }, index) => index === 0 || seq < (rows[index - 1]?.seq ?? 0)),
          )
        }
        assert.ok(model.noes.every(({ result }) => result !== "allowed"))
      }),
      numRuns(100),
    )
  })
})

describe("how the console says that it stands", () => {
  const wordOf = (model: Model) => {
    const { tone, word } = standingOf(model)
    return `${tone}: ${word}`
  }

  it("knows nothing before it was told and after it was cut off", () => {
    assert.equal(wordOf(emptyModel), "unknown: Connecting")
    assert.equal(wordOf(withoutConsole(opened, "Nobody answers.")), "unknown: No connection")
    const away = withoutVault(opened, "The vault doesn't answer.")
    assert.equal(wordOf(away), "unknown: Vault away")
    assert.equal(standingOf(away).sentence, "The vault doesn't answer.")
  })

  type Reason = Look["state"]["reasons"][number]
  const under = (signs: Look["state"]["signs"], ...reasons: readonly Reason[]): Model =>
    told(opened, { state: { signs, words: "signs so much: for that", reasons } })
  const all = (code: string): Reason => ({ code, scope: "all" })

  it("says that it signs only where nothing keeps it from that", () => {
    assert.equal(wordOf(opened), "good: Signing")
    assert.equal(wordOf(under("reduce_only", all("disk_low"))), "partly: Partly signing")
    assert.equal(
      wordOf(under("all", { code: "price_stale", scope: "symbol" })),
      "partly: Partly signing",
    )
    assert.equal(wordOf(under("nothing", all("locked"))), "stopped: Locked")
    assert.equal(wordOf(under("nothing", all("restore_unaccepted"))), "stopped: Not signing")
    assert.equal(wordOf(under("reduce_only", all("frozen"))), "stopped: Frozen")
    assert.equal(wordOf(under("nothing", all("locked"), all("frozen"))), "stopped: Locked")
    assert.equal(wordOf(under("all", { code: "frozen", scope: "client" })), "partly: Partly frozen")
  })

  it("says what is signed in the vault's own words", () => {
    assert.equal(standingOf(under("nothing", all("locked"))).sentence, "Signs so much: for that.")
  })
})
