import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import {
  emptyModel,
  maxRows,
  newsIn,
  standingOf,
  withDecisions,
  withoutStream,
  withoutVault,
  withState,
  type Model,
} from "../../../src/console/model.ts"
import { alarm } from "../../../src/link/alarms.ts"
import type { ConsoleState, DecisionView } from "../../../src/link/console-views.ts"
import type { FreezeView } from "../../../src/link/views.ts"
import { feedOf } from "../../support/decision-view.ts"
import { consoleState } from "../../support/fake-vault.ts"
import { numRuns } from "../../support/runs.ts"

const latency = { bounds: [0.1], counts: [0, 0] }
const freeze: FreezeView = {
  ...{ scope: "all", name: null, reason: "a drill", by: "admin", cancels: true, since: 0 },
}

function told(model: Model, changes: Partial<ConsoleState> = {}): Model {
  return withState(model, { vault: { ...consoleState, ...changes }, latency })
}

/** A page that was told what had been decided: five requests. */
const opened = withDecisions(told(emptyModel), feedOf(5, ["refused", "allowed"]))

const seqs = (rows: readonly DecisionView[]) => rows.map(({ seq }) => seq)

describe("the console's model", () => {
  it("keeps the state that it was told last, and a sample of what is counted", () => {
    const counted = { at: 7_000, decided: { allowed: 3, refused: 2, held: 1 } }
    const model = told(told(emptyModel), counted)
    assert.deepEqual(model.connection, { kind: "live" })
    assert.equal(model.state?.at, 7_000)
    assert.deepEqual(model.latencyBounds, [0.1])
    const [, sample] = model.samples
    assert.deepEqual(sample, { atMs: 7_000, allowed: 3, refused: 2, answers: [0, 0] })
  })

  it("puts new decisions before the others, and those that said no in a list of their own", () => {
    const model = withDecisions(opened, feedOf(8, ["allowed", "held", "refused"]))
    assert.deepEqual(seqs(model.decisions), [8, 7, 6, 5, 4])
    assert.deepEqual(seqs(model.noes), [8, 7, 4])
    assert.equal(model.missed, 0)
  })

  it("keeps as many rows as it says and no more", () => {
    const many = Array.from({ length: maxRows }, () => "refused" as const)
    const full = withDecisions(told(emptyModel), feedOf(maxRows, many))
    assert.equal(full.decisions.length, maxRows)
    const { decisions, noes } = withDecisions(full, feedOf(maxRows + 1, ["refused"]))
    for (const rows of [decisions, noes]) {
      assert.equal(rows.length, maxRows)
      assert.equal(rows[0]?.seq, maxRows + 1)
      assert.equal(rows.at(-1)?.seq, 2)
    }
  })

  it("lets a refusal stay while allowed requests push it out of the other list", () => {
    const many = Array.from({ length: maxRows }, () => "allowed" as const)
    const { decisions, noes } = withDecisions(opened, feedOf(5 + maxRows, many))
    assert.ok(decisions.every(({ result }) => result === "allowed"))
    assert.deepEqual(seqs(noes), [4])
  })

  it("counts as missed what it wasn't told since it looked, not what was before", () => {
    assert.equal(opened.missed, 0)
    const busy = withDecisions(opened, feedOf(105, ["allowed", "allowed"], 98))
    assert.equal(busy.missed, 98)
    assert.equal(withDecisions(busy, feedOf(106, ["allowed"])).missed, 98)
  })

  it("shows nothing twice when a new stream begins with what is kept", () => {
    const lost = withoutStream(opened, "The page can't reach the daemon.")
    assert.deepEqual(lost.connection, { kind: "lost", why: "The page can't reach the daemon." })
    assert.deepEqual(seqs(lost.decisions), [5, 4])
    const kept = feedOf(6, ["allowed", "refused", "allowed", "refused"])
    const again = withDecisions(told(lost), kept)
    assert.deepEqual(seqs(again.decisions), [6, 5, 4])
    assert.equal(again.missed, 0)
  })

  it("counts what fell between two streams and isn't kept any more", () => {
    const again = withDecisions(
      told(withoutStream(opened, "Nobody answers.")),
      feedOf(300, ["allowed"]),
    )
    assert.equal(again.missed, 294)
  })

  it("has news of what fell since it looked, and none of what was before", () => {
    const first = told(emptyModel)
    assert.deepEqual(newsIn(first, feedOf(5, ["refused"])), [])
    assert.deepEqual(seqs(newsIn(opened, feedOf(6, ["refused"]))), [6])
    const again = told(withoutStream(opened, "Nobody answers."))
    assert.deepEqual(seqs(newsIn(again, feedOf(6, ["allowed", "refused"]))), [6])
  })

  it("has news of the first decision of all, which no history comes before", () => {
    const quiet = told(told(emptyModel))
    assert.deepEqual(seqs(newsIn(quiet, feedOf(1, ["refused"]))), [1])
    assert.equal(withDecisions(quiet, feedOf(1, ["refused"])).missed, 0)
  })

  it("takes a stream that broke before the history for one that said nothing of it", () => {
    const broken = told(withoutStream(told(emptyModel), "Nobody answers."))
    const { missed, decisions } = withDecisions(broken, feedOf(900, ["allowed", "refused"]))
    assert.equal(missed, 0)
    assert.equal(decisions.length, 2)
    assert.deepEqual(newsIn(broken, feedOf(900, ["refused"])), [])
  })

  it("keeps what it knew while the vault is away", () => {
    const away = withoutVault(opened, "The vault doesn't answer.")
    assert.deepEqual(away.connection, { kind: "away", why: "The vault doesn't answer." })
    assert.equal(away.state, opened.state)
    assert.deepEqual(told(away).connection, { kind: "live" })
  })

  it("has rows that are bounded, newest first and each shown once, whatever it is told", () => {
    const feed = fc.record({
      from: fc.nat({ max: 1_000 }),
      results: fc.array(fc.constantFrom("allowed", "refused", "held"), { maxLength: 300 }),
    })
    fc.assert(
      fc.property(fc.array(feed, { maxLength: 6 }), (feeds) => {
        const model = feeds.reduce(
          (known, { from, results }) =>
            withDecisions(told(known), feedOf(from + results.length, results)),
          emptyModel,
        )
        for (const rows of [model.decisions, model.noes]) {
          assert.ok(rows.length <= maxRows)
          assert.ok(
            rows.every(({ seq }, index) => index === 0 || seq < (rows[index - 1]?.seq ?? 0)),
          )
        }
        assert.ok(model.noes.every(({ result }) => result !== "allowed"))
        assert.ok(model.missed >= 0)
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
    assert.equal(wordOf(withoutStream(opened, "Nobody answers.")), "unknown: No connection")
    const away = withoutVault(opened, "The vault doesn't answer.")
    assert.equal(wordOf(away), "unknown: Vault away")
    assert.equal(standingOf(away).sentence, "The vault doesn't answer.")
  })

  it("says that it signs only where nothing keeps it from that", () => {
    assert.equal(wordOf(opened), "good: Signing")
    const low = alarm("disk_low", { subject: "", fact: "The disk is full", advice: "make room" })
    const filling = alarm("disk_filling", { subject: "", fact: "It fills", advice: "make room" })
    assert.equal(wordOf(told(opened, { alarms: [filling] })), "good: Signing")
    assert.equal(wordOf(told(opened, { alarms: [filling, low] })), "partly: Partly signing")
    assert.equal(wordOf(told(opened, { state: "locked" })), "stopped: Locked")
    assert.equal(wordOf(told(opened, { state: "clock_unsafe" })), "stopped: Not signing")
    assert.equal(wordOf(told(opened, { freezes: [freeze] })), "stopped: Frozen")
    assert.equal(wordOf(told(opened, { state: "locked", freezes: [freeze] })), "stopped: Locked")
  })

  it("names what is stopped where not everything is", () => {
    const freezes: readonly FreezeView[] = [
      { ...freeze, scope: "client", name: "maker" },
      { ...freeze, scope: "key", name: "agent" },
    ]
    const model = told(opened, { freezes })
    assert.equal(wordOf(model), "partly: Partly frozen")
    assert.equal(standingOf(model).sentence, "Stopped: client maker, key agent.")
    assert.equal(wordOf(told(opened, { freezes: [...freezes, freeze] })), "stopped: Frozen")
  })
})
