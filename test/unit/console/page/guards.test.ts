import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Guard, Look } from "../../../../src/console/asks.ts"
import { type LossLines, lineMs, withLosses } from "../../../../src/console/page/equity-lines.ts"
import { emptyModel, withLook } from "../../../../src/console/page/model.ts"
import { quietLook } from "../../../support/console-look.ts"
import { markupOf, wordsOf } from "../../../support/console-page.ts"

const { guardsPanel } = await import("../../../../src/console/page/views/guards.ts")

const nowMs = 100 * lineMs
const guard: Guard = {
  ...{ policy: "bot", guard: "small", account_name: "main", kind: "max_position" },
  ...{ measure: "net", symbol: "BTC-PERP", side: "long", max: "1000" },
  ...{ measured: "300", in_flight: "200", room: "500", read_at: nowMs - 3_000 },
  ...{ tripped_at: null, loss_unknown: null },
}
const ofLoss: Guard = {
  ...{ ...guard, guard: "day", kind: "daily_loss", measure: null, symbol: null, side: null },
}
const lookAt = (guards: readonly Guard[], at = nowMs): Look => ({ ...quietLook, at, guards })

function panel(...guards: readonly Guard[]) {
  const shown = guardsPanel({ ...emptyModel, look: lookAt(guards) })
  assert.ok(shown)
  return shown
}

const words = (changes: Partial<Guard>) => wordsOf(panel({ ...guard, ...changes }))
const tone = (changes: Partial<Guard>) =>
  /class="meter (\w*)"/.exec(markupOf(panel({ ...guard, ...changes })))?.[1]

describe("the console's guards", () => {
  it("say what was measured, what is in flight, what room there is and how old the reading is", () => {
    assert.match(
      words({}),
      /bot\/small, main 300 of 1,000 BTC-PERP net long, 200 in flight, read 3 s ago room for 500/,
    )
    assert.match(wordsOf(panel(ofLoss)), /bot\/day, main .* daily loss, 200 in flight/)
    assert.match(
      words({ kind: "max_open_orders", measure: null, symbol: null, side: null }),
      / open orders, /,
    )
    assert.match(words({ room: "0" }), / no room/)
  })

  it("aren't there where no policy has one", () => {
    assert.equal(guardsPanel({ ...emptyModel, look: quietLook }), undefined)
    assert.equal(guardsPanel(emptyModel), undefined)
  })

  it("say why nothing opens, where nothing does", () => {
    const unread = { measured: null, in_flight: null, room: null, read_at: null }
    assert.match(words(unread), /small, main – of 1,000 .*, never read unknown/)
    assert.match(words({ ...unread, loss_unknown: "reading_old" }), / reading too old/)
    assert.match(words({ tripped_at: nowMs - 180_000 }), / tripped 3 min ago/)
  })

  it("are marked from four fifths on, what is in flight counted, and otherwise where they are full or tripped", () => {
    assert.equal(tone({ room: "201" }), "")
    assert.equal(tone({ room: "200" }), "nearly")
    assert.equal(tone({ room: "0" }), "spent")
    assert.equal(tone({ tripped_at: 1 }), "spent")
    assert.equal(tone({ room: null }), "nearly")
    assert.equal(tone({ loss_unknown: "no_equity" }), "nearly")
  })

  it("come the fullest first, those that can't be told before all", () => {
    const named = (name: string, room: string | null): Guard => ({ ...guard, guard: name, room })
    const said = wordsOf(panel(named("empty", "1000"), named("half", "500"), named("unread", null)))
    assert.match(said, /bot\/unread.*bot\/half.*bot\/empty/)
  })

  it("have a line of equity that falls with what is lost, once there are two points, and of losses alone", () => {
    const after = (ms: number, measured: string, like = ofLoss) =>
      lookAt([{ ...like, measured }], nowMs + ms)
    const drawn = (...looks: readonly Look[]) => {
      const shown = guardsPanel(looks.reduce(withLook, emptyModel))
      assert.ok(shown)
      return /<polyline points="?([-\d., ]+)/.exec(markupOf(shown))?.[1]?.trim()
    }
    const halfMs = lineMs / 2
    assert.equal(drawn(after(0, "0"), after(halfMs, "500")), "50.00,0.00 100.00,12.00")
    assert.equal(drawn(after(0, "0"), after(halfMs, "2000")), "50.00,0.00 100.00,24.00")
    assert.equal(drawn(after(0, "0")), undefined)
    assert.equal(drawn(after(0, "0", guard), after(halfMs, "500", guard)), undefined)
  })
})

describe("the lines of equity", () => {
  const told = (lines: LossLines) =>
    lines.get("bot/day, main")?.map(({ atMs, share }) => [atMs - nowMs, share])
  const after = (...looks: readonly (readonly [ms: number, changes: Partial<Guard>])[]) =>
    told(
      looks.reduce<LossLines>(
        (lines, [ms, changes]) =>
          withLosses(lines, lookAt([{ ...ofLoss, ...changes }], nowMs + ms)),
        new Map(),
      ),
    )

  it("have a point a minute", () => {
    const next = (ms: number) => after([0, {}], [ms, { measured: "400" }])
    assert.deepEqual(next(59_999), [[0, 0.3]])
    assert.deepEqual(next(60_000), [
      [0, 0.3],
      [60_000, 0.4],
    ])
  })

  it("have none where what is lost can't be told", () => {
    assert.deepEqual(
      after(
        [0, { measured: null }],
        [60_000, { max: null }],
        [120_000, { max: "0", measured: "0" }],
      ),
      [],
    )
  })

  it("reach back a day", () => {
    assert.equal(after([0, {}], [lineMs, {}])?.length, 2)
    assert.deepEqual(after([0, {}], [lineMs + 1, {}]), [[lineMs + 1, 0.3]])
  })

  it("begin anew where the vault's clock was set back, and end with their guard", () => {
    assert.deepEqual(after([0, {}], [-1, {}]), [[-1, 0.3]])
    assert.equal(withLosses(new Map([["gone", []]]), lookAt([])).size, 0)
  })
})
