import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Decision, Look } from "../../../../src/console/asks.ts"
import {
  emptyModel,
  maxRows,
  newsIn,
  standingOf,
  withLook,
  withoutConsole,
  withoutVault,
  type Model,
} from "../../../../src/console/page/model.ts"
import { lookOf, quietLook } from "../../../support/console-look.ts"
import { numRuns } from "../../../support/runs.ts"

const told = (model: Model, changes: Partial<Look>): Model =>
  withLook(model, { ...quietLook, ...changes })

/** A page that looked when five requests had been decided. */
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
    const [, sample] = model.samples
    assert.deepEqual(sample, { atMs: 7_000, allowed: 3, refused: 2, answers: [4, 5] })
  })

  it("puts new decisions before the others, and those that said no in a list of their own", () => {
    const model = withLook(opened, lookOf(8, ["allowed", "held", "refused"]))
    assert.deepEqual(seqs(model.decisions), [8, 7, 6, 5, 4])
    assert.deepEqual(seqs(model.noes), [8, 7, 4])
    assert.equal(model.missed, 0)
  })

  it("keeps as many rows as it says and no more", () => {
    const many = Array.from({ length: maxRows }, () => "refused" as const)
    const full = withLook(emptyModel, lookOf(maxRows, many))
    assert.equal(full.decisions.length, maxRows)
    const { decisions, noes } = withLook(full, lookOf(maxRows + 1, ["refused"]))
    for (const rows of [decisions, noes]) {
      assert.equal(rows.length, maxRows)
      assert.equal(rows[0]?.seq, maxRows + 1)
      assert.equal(rows.at(-1)?.seq, 2)
    }
  })

  it("lets a refusal stay while allowed requests push it out of the other list", () => {
    const many = Array.from({ length: maxRows }, () => "allowed" as const)
    const { decisions, noes } = withLook(opened, lookOf(5 + maxRows, many))
    assert.ok(decisions.every(({ result }) => result === "allowed"))
    assert.deepEqual(seqs(noes), [4])
  })

  it("lets a refusal that came again grow a count on its row, and makes no new row of it", () => {
    const look = lookOf(5, ["refused", "allowed"])
    const times = (model: Model) => [model.decisions, model.noes].map((rows) => rows.at(-1)?.times)
    assert.deepEqual(times(opened), [1, 1])
    const grown = look.decisions.map((row) => (row.seq === 4 ? { ...row, times: 12 } : row))
    const model = withLook(opened, { ...look, decisions: grown })
    assert.deepEqual(seqs(model.decisions), [5, 4])
    assert.deepEqual(times(model), [12, 12])
    assert.deepEqual(newsIn(opened, { ...look, decisions: grown }), [])
    // Once a look doesn't reach back to it, it stays as it was.
    assert.deepEqual(times(withLook(model, lookOf(6, ["allowed"]))), [12, 12])
  })

  it("counts as missed what it wasn't told since it looked, not what was before", () => {
    assert.equal(opened.missed, 0)
    const busy = withLook(opened, lookOf(105, ["allowed", "allowed"]))
    assert.equal(busy.missed, 98)
    assert.equal(withLook(busy, lookOf(106, ["allowed"])).missed, 98)
    assert.equal(withLook(busy, lookOf(105, ["allowed", "allowed"])).missed, 98)
  })

  it("misses nothing where the ledger counts from nought again", () => {
    const anew = { ...lookOf(6, ["allowed"]), recorded: 1 }
    assert.equal(withLook(opened, anew).missed, 0)
  })

  it("shows nothing twice, and counts what fell while it could reach nobody", () => {
    const gone = withoutConsole(opened, "Nobody answers.")
    assert.deepEqual(gone.connection, { kind: "lost", why: "Nobody answers." })
    assert.deepEqual(seqs(gone.decisions), [5, 4])
    const again = withLook(gone, lookOf(6, ["allowed", "refused", "allowed", "refused"]))
    assert.deepEqual(seqs(again.decisions), [6, 5, 4])
    assert.equal(again.missed, 0)
    assert.equal(withLook(gone, lookOf(300, ["allowed"])).missed, 294)
  })

  it("has news of what fell since it looked, and none of what was before", () => {
    assert.deepEqual(newsIn(emptyModel, lookOf(5, ["refused"])), [])
    assert.deepEqual(seqs(newsIn(opened, lookOf(6, ["refused"]))), [6])
    const again = withoutVault(opened, "Nobody answers.")
    assert.deepEqual(seqs(newsIn(again, lookOf(6, ["allowed", "refused"]))), [6])
    const quiet = withLook(emptyModel, quietLook)
    assert.deepEqual(seqs(newsIn(quiet, lookOf(1, ["refused"]))), [1])
    assert.equal(withLook(quiet, lookOf(1, ["refused"])).missed, 0)
  })

  it("keeps what it knew while the vault is away", () => {
    const away = withoutVault(opened, "The vault doesn't answer.")
    assert.deepEqual(away.connection, { kind: "away", why: "The vault doesn't answer." })
    assert.equal(away.look, opened.look)
    assert.deepEqual(told(away, {}).connection, { kind: "live" })
  })

  it("has rows that are bounded, newest first and each shown once, whatever it is told", () => {
    const look = fc.record({
      from: fc.nat({ max: 1_000 }),
      results: fc.array(fc.constantFrom("allowed", "refused", "held"), { maxLength: 300 }),
    })
    fc.assert(
      fc.property(fc.array(look, { maxLength: 6 }), (looks) => {
        const model = looks.reduce(
          (known, { from, results }) => withLook(known, lookOf(from + results.length, results)),
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
