import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openPastSets, type PastChange } from "../../../../src/commands/policy/log.ts"

type Row = Readonly<Record<string, unknown>>
type Act = readonly [atMs: number, row: Row]

const filesOf = (quantity: string) => [
  { name: "policies/a.yaml", text: `rules: [{name: all, max_quantity: "${quantity}"}]\n` },
]
const set = (hash: string, quantity?: string): Row => ({
  ...{ act: "set_activated", hash },
  ...(quantity === undefined ? {} : { files: filesOf(quantity) }),
})
const asked = (method: string, by: string): Row => ({ act: "asked", method, by })

/** Takes acts, of which the first is the oldest, from the newest on, as far as they are wanted. */
function past(
  acts: readonly Act[],
  { sinceMs = 0, isWhole = true } = {},
): { readonly changes: readonly PastChange[]; readonly taken: number } {
  const sets = openPastSets(sinceMs)
  let taken = 0
  for (const [index, [at_ms, row]] of [...acts.entries()].toReversed()) {
    taken++
    const hash = new Uint8Array()
    const entry = { seq: index + 1, id: "", kind: "act", at_ms, row: JSON.stringify(row), hash }
    if (sets.take(entry)) break
  }
  return { changes: sets.changes(isWhole), taken }
}

const quantities = ({ changes }: PastChange) => changes?.map(({ from, to }) => [from, to]) ?? null

describe("openPastSets", () => {
  it("wants nothing older than the files that were in force at that moment", () => {
    const acts: readonly Act[] = [
      [1, set("a", "1")],
      [2, set("b", "2")],
      [9, set("c", "3")],
    ]
    const { changes, taken } = past(acts, { sinceMs: 5 })
    assert.equal(taken, 2)
    assert.deepEqual(changes.map(quantities), [[['"2"', '"3"']]])
  })

  it("looks further for files that an earlier entry has", () => {
    const acts: readonly Act[] = [
      [1, set("a", "1")],
      [2, set("b", "2")],
      [9, set("a")],
    ]
    const { changes, taken } = past(acts, { sinceMs: 5 })
    assert.equal(taken, 3)
    assert.deepEqual(changes.map(quantities), [[['"2"', '"1"']]])
  })

  it("doesn't call what an archive hides a change from nothing", () => {
    const [change] = past([[9, set("b", "2")]], { isWhole: false }).changes
    assert.equal(change?.changes, null)
    const later = past([[9, set("a")] as const, [10, set("b", "2")] as const], { isWhole: false })
    assert.deepEqual(later.changes.map(quantities), [null, null])
  })

  it("names who asked within a minute before, and not after", () => {
    const by = (afterMs: number) =>
      past([
        [1, set("a", "1")],
        [2, asked("reload", "ana")],
        [2 + afterMs, set("b", "2")],
      ]).changes.at(-1)?.asked
    assert.deepEqual(by(60_000), { method: "reload", by: "ana" })
    assert.equal(by(60_001), null)
  })

  it("names nobody for what a start found, or for what was asked of something else", () => {
    const by = (...between: readonly Row[]) =>
      past([
        [1, set("a", "1")],
        ...between.map((row): Act => [2, row]),
        [3, set("b", "2")],
      ]).changes.at(-1)?.asked
    assert.equal(by(asked("reload", "ana"), { act: "started" }), null)
    assert.equal(by(asked("freeze", "ana")), null)
    const { by: name } = by(asked("reload", "ana"), asked("freeze", "ben")) ?? {}
    assert.equal(name, "ana")
  })
})
