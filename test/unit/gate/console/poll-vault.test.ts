import assert from "node:assert/strict"
import type { ServerResponse } from "node:http"
import { describe, it } from "node:test"
import { setImmediate as turn } from "node:timers/promises"

import { pollVault, type PollDependencies } from "../../../../src/gate/console/poll-vault.ts"
import { gateLimits } from "../../../../src/gate/gate-limits.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { session } from "../../../support/console.ts"
import { consoleState } from "../../../support/fake-vault.ts"
import { until } from "../../../support/process-tree.ts"

type Polling = {
  /** What the vault was asked. */
  readonly asked: readonly string[]
  /** What was written, each text as long as it waits to be read. */
  readonly writes: readonly string[]
  /** Reads the oldest text that nobody has read. */
  readonly read: () => void
  readonly ending: AbortController
  readonly ended: Promise<string | undefined>
}

/** Polls a vault that answers its first calls by these failures or none, for a page that reads when it is told to. */
function poll(failures: readonly (Error | undefined)[] = []): Polling {
  const asked: string[] = []
  const writes: string[] = []
  const unread: (() => void)[] = []
  const left = [...failures]
  const ending = new AbortController()
  const response = {
    write(text: string, done: () => void) {
      writes.push(text)
      unread.push(done)
    },
  } as unknown as ServerResponse
  const deps = {
    link: {
      call(method: string) {
        asked.push(method)
        const failure = method === "consoleDecisions" ? left.shift() : undefined
        if (failure !== undefined) return Promise.reject(failure)
        const feed = { decisions: [], missed: 1, last: asked.length }
        return Promise.resolve({ kind: "answer", feed, state: consoleState })
      },
    },
    metrics: { signingTimes: () => ({ bounds: [], counts: [0] }) },
    limits: { ...gateLimits, consolePollMs: 1, consoleRetryMs: 1 },
  } as unknown as PollDependencies
  const ended = pollVault(deps, session, { response, signal: ending.signal })
  return { asked, writes, read: () => unread.shift()?.(), ending, ended }
}

/** The texts that are written while each is read at once, up to so many. */
async function firstWrites({ writes, read }: Polling, count: number): Promise<readonly string[]> {
  await until(() => {
    if (writes.length >= count) return true
    read()
    return undefined
  }, `${count} texts are written`)
  return writes.slice(0, count)
}

const away = new Fault("vault_unavailable", "/run/secret.sock doesn't answer.")

describe("polling the vault for a console", () => {
  it("looks again once all that it saw was taken, so that nothing piles up", async () => {
    const polling = poll()
    await until(() => polling.writes[0], "something is written")
    for (let turns = 0; turns < 50; turns += 1) await turn()
    assert.deepEqual(polling.asked, ["consoleDecisions", "consoleState"])
    assert.equal(polling.writes.length, 1)
    polling.read()
    await until(() => polling.writes[1], "more is written")
    assert.deepEqual(polling.asked, ["consoleDecisions", "consoleState", "consoleDecisions"])
    polling.ending.abort()
    await polling.ended
  })

  it("ends when it is told to, taken or not, and asks no more", async () => {
    const polling = poll()
    await until(() => polling.writes[0], "something is written")
    polling.ending.abort()
    assert.equal(await polling.ended, undefined)
    assert.deepEqual([polling.asked.length, polling.writes.length], [2, 1])
  })

  it("tells once that the vault is away, then says nothing aloud until it tells all again", async () => {
    const polling = poll([away, away, away])
    const [first = "", second, third, fourth = ""] = await firstWrites(polling, 4)
    const why = "The vault doesn't answer, so nothing is signed; see `countersign status`."
    assert.equal(first, `event: away\ndata: ${JSON.stringify({ why })}\n\n`)
    assert.deepEqual([second, third], [":\n\n", ":\n\n"])
    assert.match(fourth, /^event: state\n.*\n\nevent: decisions\n/)
    polling.ending.abort()
    await polling.ended
  })

  it("tells it again when the vault goes away again", async () => {
    const polling = poll([away, undefined, away])
    const texts = await firstWrites(polling, 4)
    const events = texts.map((text) => /^event: (\w+)/.exec(text)?.[1])
    assert.deepEqual(events, ["away", "state", "away", "state"])
    polling.ending.abort()
    await polling.ended
  })

  it("goes on while the vault can't do its job, and not through a bug", async () => {
    const broken = poll([new Fault("ledger_unavailable", "No disk.")])
    const [text = ""] = await firstWrites(broken, 1)
    assert.match(text, /^event: away\n.*recorded/)
    broken.ending.abort()
    await broken.ended
    await assert.rejects(poll([new TypeError("a bug")]).ended, /a bug/)
  })
})
