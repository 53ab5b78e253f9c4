import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Entries } from "../../../../src/console/asks.ts"
import { maxParts, readHistory } from "../../../../src/console/page/read-history.ts"
import { entriesOf } from "../../../support/console-look.ts"
import { giveFetch, giveStorage, ofSession, refusal } from "../../../support/console-page.ts"

async function readFrom(t: TestContext, before: number, answer: (before: number) => Response) {
  giveStorage(t, ofSession)
  const fetched = giveFetch(t, ({ body }) => answer((body as { readonly before: number }).before))
  const told: Entries[] = []
  await readHistory(before, (history) => told.push(history))
  return { told, asked: fetched.map(({ path, body }) => [path, body]) }
}

/** The two entries before one. */
const partBefore = (before: number, isEnd: boolean): Response =>
  Response.json({ ...entriesOf(before - 1, ["allowed", "refused"]), is_end: isEnd })

describe("the console's history", () => {
  it("is read part by part from where the page looked first, until nothing older is told", async (t) => {
    const { told, asked } = await readFrom(t, 9, (before) => partBefore(before, before <= 5))
    assert.deepEqual(asked, [
      ["/history", { before: 9 }],
      ["/history", { before: 7 }],
      ["/history", { before: 5 }],
    ])
    assert.deepEqual(
      told.map(({ first, last }) => [first, last]),
      [
        [7, 8],
        [5, 6],
        [3, 4],
      ],
    )
  })

  it("ends where it can't be read", async (t) => {
    const { told, asked } = await readFrom(t, 9, (before) =>
      before === 9 ? partBefore(9, false) : refusal(503, "The vault is away."),
    )
    assert.deepEqual([told.length, asked.length], [1, 2])
  })

  it("ends after so many parts, however much the ledger has", async (t) => {
    const { told } = await readFrom(t, 1_000_000, (before) => partBefore(before, false))
    assert.equal(told.length, maxParts)
  })
})
