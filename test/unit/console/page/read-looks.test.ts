import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import type { Entries } from "../../../../src/console/asks.ts"
import { maxParts, readHistory, readLooks } from "../../../../src/console/page/read-looks.ts"
import { entriesOf, quietLook } from "../../../support/console-look.ts"
import {
  type Fetched,
  giveFetch,
  giveStorage,
  ofSession,
  refusal,
  replaceGlobal,
} from "../../../support/console-page.ts"

const over = () => refusal(401, "It is over.")
const away = () => refusal(503, "The vault is away.")
const lost = () => new TypeError("fetch failed")
const look = () => Response.json(quietLook)

const unreachable = "The console doesn't answer; is countersign console still running?"

type Read = {
  /** What the page was told, each with what was said. */
  readonly heard: readonly (readonly [name: string, said: unknown])[]
  readonly fetched: readonly Fetched[]
  /** How long it paused each time, in milliseconds. */
  readonly pauses: readonly number[]
}

/** Reads until the session is over, by a server that answers this, one after the other. */
async function read(t: TestContext, answers: readonly (() => Response | Error)[]): Promise<Read> {
  giveStorage(t, ofSession)
  const pauses: number[] = []
  replaceGlobal(t, "setTimeout", (ring: () => void, ms: number) => {
    pauses.push(ms)
    queueMicrotask(ring)
  })
  const fetched: readonly Fetched[] = giveFetch(t, () => (answers[fetched.length - 1] ?? over)())
  const heard: [string, unknown][] = []
  const hear = (name: string) => (said: unknown) => void heard.push([name, said])
  await readLooks({
    ...{ look: hear("look"), history: hear("history"), away: hear("away") },
    ...{ lost: hear("lost"), ended: hear("ended") },
  })
  return { heard, fetched, pauses }
}

describe("the console's looks", () => {
  it("are asked for one after the other without a pause of the page's, each after the last entry that is known", async (t) => {
    const { heard, fetched, pauses } = await read(t, [look, look, over])
    assert.deepEqual(heard, [
      ["look", quietLook],
      ["look", quietLook],
      ["ended", "It is over."],
    ])
    assert.deepEqual(
      fetched.map(({ method, path, body }) => [method, path, body]),
      [{}, { after: 0 }, { after: 0 }].map((body) => ["POST", "/look", body]),
    )
    assert.deepEqual(pauses, [])
  })

  it("have what was decided before the first of them read beside them, once", async (t) => {
    const first = { ...quietLook, news: { ...entriesOf(8, ["allowed"]), is_end: false } }
    const part = entriesOf(7, ["refused"])
    const ended = () => Response.json({ ...part, is_end: true })
    // The second thing that is asked for is what was before.
    const answers = [() => Response.json(first), ended, look, look, over]
    const { heard, fetched } = await read(t, answers)
    const asked = fetched.filter(({ path }) => path === "/history").map(({ body }) => body)
    assert.deepEqual(asked, [{ before: 8 }])
    assert.deepEqual(
      heard.map(([name]) => name).filter((name) => name !== "look"),
      ["history", "ended"],
    )
  })

  it("end without a word once the page has forgotten its session", async (t) => {
    const kept = giveStorage(t, ofSession)
    const fetched = giveFetch(t, () => look())
    const nothing = () => undefined
    const forget = () => kept.clear()
    await readLooks({
      ...{ look: forget, history: nothing, away: nothing },
      ...{ lost: nothing, ended: () => assert.fail("told twice") },
    })
    assert.equal(fetched.length, 1)
  })

  it("end where the page is refused as another's, and say why", async (t) => {
    const { heard } = await read(t, [() => refusal(403, "Only the console's page can call this.")])
    assert.deepEqual(heard, [["ended", "Only the console's page can call this."]])
  })

  it("go on while the vault is away, with its reason, once a second", async (t) => {
    const { heard, pauses } = await read(t, [away, away, away, look])
    assert.deepEqual(heard.slice(0, 4), [
      ["away", "The vault is away."],
      ["away", "The vault is away."],
      ["away", "The vault is away."],
      ["look", quietLook],
    ])
    assert.deepEqual(pauses, [1_000, 1_000, 1_000])
  })

  it("go on while the console can't be reached, with longer and longer pauses", async (t) => {
    const { heard, pauses } = await read(t, [lost, lost, lost, lost, lost, lost])
    assert.deepEqual(heard[0], ["lost", unreachable])
    assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
  })

  it("begin with short pauses again once one was answered", async (t) => {
    const { pauses } = await read(t, [lost, lost, look, lost])
    assert.deepEqual(pauses, [1_000, 2_000, 1_000])
  })
})

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
