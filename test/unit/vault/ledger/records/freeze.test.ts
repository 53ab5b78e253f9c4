import assert from "node:assert/strict"
import { describe, it } from "node:test"

import {
  freezeOf,
  frozen,
  isSameScope,
  type Freeze,
} from "../../../../../src/vault/ledger/records/freeze.ts"

const about = { reason: "a drill", by: "operator", cancels: true, since: 5 }
const all: Freeze = { scope: "all", name: null, ...about }
const bot: Freeze = { scope: "client", name: "bot", ...about }
const mm: Freeze = { scope: "key", name: "mm", ...about }

const order = { client: "bot", key: "mm", lane: "open" } as const
const cancel = { ...order, lane: "cancel" } as const

describe("a freeze", () => {
  for (const [name, freeze, request, isStopped] of [
    ["of all stops everybody", all, order, true],
    ["of a client stops it", bot, order, true],
    ["of a client stops no other", bot, { ...order, client: "bot2" }, false],
    [
      "of a client doesn't stop a key of its name",
      bot,
      { ...order, client: "x", key: "bot" },
      false,
    ],
    ["of a key stops it", mm, order, true],
    ["of a key stops no other", mm, { ...order, key: "mm2" }, false],
    ["of a key doesn't stop a client of its name", mm, { ...order, client: "mm", key: "x" }, false],
    ["leaves open what reduces risk", all, cancel, false],
    ["without cancels stops that too", { ...all, cancels: false }, cancel, true],
    [
      "without cancels stops no other's",
      { ...bot, cancels: false },
      { ...cancel, client: "x" },
      false,
    ],
  ] as const) {
    it(name, () => {
      assert.equal(freezeOf(request, [freeze]), isStopped ? freeze : undefined)
    })
  }

  it("is told by the strictest one that stops a request", () => {
    const strict = { ...mm, cancels: false }
    assert.equal(freezeOf(order, [all, bot, strict]), strict)
    assert.equal(freezeOf(cancel, [all, bot, strict]), strict)
    assert.equal(freezeOf(order, [all, bot]), all)
    assert.equal(freezeOf(order, []), undefined)
  })

  it("takes the place of one about the same alone", () => {
    assert.ok(isSameScope(bot, { ...bot, reason: "another" } as Freeze))
    assert.ok(isSameScope(all, all))
    assert.equal(isSameScope(bot, { scope: "key", name: "bot" }), false)
    assert.equal(isSameScope(bot, { scope: "client", name: "bot2" }), false)
  })

  it("says what is frozen, by whom, why, and what ends it", () => {
    assert.equal(
      frozen(all).message,
      "Everything is frozen by operator; cancels and reduce-only orders stay open: a drill. An operator thaws it with countersign thaw.",
    )
    const strict = frozen({ ...mm, cancels: false })
    assert.match(strict.message, /^The key mm is frozen by operator, cancels too: a drill\./)
    const { by, reason } = about
    const data = { scope: "key", name: "mm", reason, by, cancels: false, since: 5 }
    assert.deepEqual(strict.data, data)
  })
})
