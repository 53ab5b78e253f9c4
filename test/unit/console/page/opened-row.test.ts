import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { openedRow } from "../../../../src/console/page/read-looks.ts"
import type { Opened } from "../../../../src/console/page/views/record.ts"
import { allowedRow } from "../../../support/console-look.ts"
import { giveFetch, giveStorage, refusal } from "../../../support/console-page.ts"

const [one, two] = [1, 2].map((seq) => ({ ...allowedRow, seq, record: `rec_${seq}` }))
const settled = () => new Promise((resolve) => setImmediate(resolve))

function openRows(t: TestContext, answer: () => Response) {
  giveStorage(t)
  const shown: (Opened | undefined)[] = []
  const fetched = giveFetch(t, answer)
  return { fetched, shown, toggle: openedRow((opened) => shown.push(opened)) }
}

describe("a row that is opened", () => {
  it("has its record read, and is closed by the same", async (t) => {
    const record = { state: "signed", outcome: null, asked: null, body: null }
    const { fetched, shown, toggle } = openRows(t, () => Response.json(record))
    toggle(one!)
    await settled()
    toggle(one!)
    assert.deepEqual(shown, [
      { seq: 1, known: { kind: "asked" } },
      { seq: 1, known: { kind: "told", record } },
      undefined,
    ])
    assert.deepEqual(
      fetched.map(({ path, body }) => [path, body]),
      [["/record", { id: "rec_1", seq: 1 }]],
    )
  })

  it("closes the other one, whose record is shown no more when it comes", async (t) => {
    const { shown, toggle } = openRows(t, () => Response.json(null))
    toggle(one!)
    toggle(two!)
    await settled()
    assert.deepEqual(shown, [
      { seq: 1, known: { kind: "asked" } },
      { seq: 2, known: { kind: "asked" } },
      { seq: 2, known: { kind: "told", record: null } },
    ])
  })

  it("says why its record can't be read", async (t) => {
    const { shown, toggle } = openRows(t, () => refusal(503, "The vault is away."))
    toggle(one!)
    await settled()
    assert.deepEqual(shown.at(-1), { seq: 1, known: { kind: "failed", why: "The vault is away." } })
  })
})
