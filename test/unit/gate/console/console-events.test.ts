import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { DecisionFeed } from "../../../../src/link/console-views.ts"
import { noSession, openEvents, pageHeaders, session } from "../../../support/console.ts"
import { consoleState, token } from "../../../support/fake-vault.ts"
import { assertRefused, startGate, type TestGate } from "../../../support/gate.ts"
import { until } from "../../../support/process-tree.ts"
import { stillNumber } from "../../../support/still-number.ts"

/** As often as it can, so that no test waits. */
const limits = { consolePollMs: 1, consoleRetryMs: 1 }

/** A feed of as many decisions, each of some bytes. */
function feedOf(count: number, last: number, bytes = 0): DecisionFeed {
  const decisions = Array.from({ length: count }, (_, index) => ({
    seq: last - count + index + 1,
    at: 0,
    result: "refused" as const,
    client: "mm-bot",
    key: "mm",
    operation: "placeOrder",
    asked: null,
    by: "desk/size",
    reason: "order_too_large",
    message: "x".repeat(bytes),
    record: "r-1",
  }))
  return { decisions, missed: 0, last }
}

function answerOf(feed: DecisionFeed) {
  return { kind: "answer" as const, feed }
}

/** Another tab's session, which the fake vault knows as well. */
function headersOf(letter: string): Readonly<Record<string, string>> {
  const cookie = `countersign_console=${letter.repeat(43)}`
  return { ...pageHeaders, cookie, "countersign-console": letter.repeat(43) }
}

/** Resolves once no more is at work than this very question. */
function noneAtWork(gate: TestGate): Promise<true> {
  return until(async () => ((await atWork(gate)) === 1 ? true : undefined), "nothing is at work")
}

async function atWork(gate: TestGate): Promise<number> {
  const { text } = await gate.ask({ path: "/metrics", headers: { authorization } })
  return Number(/^countersign_http_requests_in_flight (\d+)$/m.exec(text)?.[1])
}

const authorization = `Bearer ${token}`

/** While the session lasts. */
const answers = {
  consoleState: { kind: "answer" as const, state: consoleState },
  consoleDecisions: answerOf(feedOf(0, 0)),
}

describe("GET /console/events", () => {
  it("tells how all stands first, with how long signing took since the gate started", async (t) => {
    const gate = await startGate(t)
    await gate.post("/sign/v1/trade/orders")
    await gate.ask({ path: "/healthz" })
    const events = await openEvents(t, gate.port)
    const { statusCode, headers } = events.response
    assert.equal(statusCode, 200)
    assert.equal(headers["content-type"], "text/event-stream")
    assert.equal(headers["cache-control"], "no-store")
    const first = await events.next()
    assert.equal(first?.event, "state")
    const { vault, latency } = first.content as {
      readonly vault: { readonly state: string }
      readonly latency: { readonly bounds: readonly number[]; readonly counts: readonly number[] }
    }
    assert.equal(vault.state, "ready")
    assert.equal(latency.counts.length, latency.bounds.length + 1)
    assert.equal(
      latency.counts.reduce((sum, count) => sum + count, 0),
      1,
    )
    const asked = gate.vault.calls.filter(({ method }) => method.startsWith("console"))
    for (const { params } of asked) assert.deepEqual("session" in params && params.session, session)
  })

  it("tells decisions as they come, and asks for what came after those it told", async (t) => {
    const feeds = [feedOf(2, 7), feedOf(0, 7), feedOf(1, 8), { ...feedOf(1, 200), missed: 99 }]
    const asked: (number | undefined)[] = []
    const gate = await startGate(t, {
      limits,
      script: {
        consoleDecisions({ after }) {
          asked.push(after)
          return answerOf(feeds.shift() ?? feedOf(0, 200))
        },
      },
    })
    const events = await openEvents(t, gate.port)
    const told: unknown[] = []
    while (told.length < 3) told.push((await events.nextOf("decisions"))?.content)
    assert.deepEqual(told, [feedOf(2, 7), feedOf(1, 8), { ...feedOf(1, 200), missed: 99 }])
    assert.deepEqual(asked.slice(0, 4), [undefined, 7, 7, 8])
  })

  it("tells that decisions were missed where none is left to show", async (t) => {
    const missed = { decisions: [], missed: 3, last: 3 }
    const gate = await startGate(t, { script: { consoleDecisions: () => answerOf(missed) } })
    const events = await openEvents(t, gate.port)
    assert.deepEqual((await events.nextOf("decisions"))?.content, missed)
  })

  it("tells how all stands at every fourth look at what was decided", async (t) => {
    const gate = await startGate(t, { limits })
    const events = await openEvents(t, gate.port)
    for (let index = 0; index < 3; index += 1) await events.nextOf("state")
    const methods = gate.vault.calls.map(({ method }) => method)
    // The first of all is whether there is such a session.
    assert.equal(methods.shift(), "consoleState")
    const third = methods.flatMap((method, at) => (method === "consoleState" ? [at] : []))[2] ?? 0
    const before = methods.slice(0, third).filter((method) => method === "consoleDecisions")
    assert.equal(before.length, 9)
  })

  it("is refused where the vault doesn't know the session, or is away", async (t) => {
    const gate = await startGate(t, { script: { consoleState: () => noSession() } })
    const path = "/console/events"
    const refused = await gate.ask({ path, headers: pageHeaders })
    assertRefused(refused, 401, "unauthorized")
    assert.equal(refused.envelope.msg, "The session is over.")
    await gate.vault.close()
    assertRefused(await gate.ask({ path, headers: pageHeaders }), 503, "vault_unavailable")
  })

  it("counts as answered by us, and no longer as at work, once it is over", async (t) => {
    const gate = await startGate(t)
    const first = await openEvents(t, gate.port)
    await first.next()
    assert.equal(await atWork(gate), 2)
    const second = await openEvents(t, gate.port)
    await first.nextOf("nothing")
    second.response.destroy()
    await noneAtWork(gate)
    const { text } = await gate.ask({ path: "/metrics", headers: { authorization } })
    const counted = [...text.matchAll(/route="\/console\/events",code="(\w+)"\} (\d+)/g)]
    assert.deepEqual(
      counted.map(([, code, count]) => [code, count]),
      [
        ["ok", "1"],
        ["gone", "1"],
      ],
    )
  })
})

describe("a stream of events ends", () => {
  for (const method of ["consoleState", "consoleDecisions"] as const) {
    it(`with the vault's word that the session is over, to ${method}`, async (t) => {
      let asked = 0
      const isOver = (): boolean => (asked += 1) > 4
      const gate = await startGate(t, {
        limits,
        script: {
          [method]: () => (isOver() ? noSession() : answers[method]),
        },
      })
      const events = await openEvents(t, gate.port)
      assert.equal((await events.next())?.event, "state")
      const ended = await events.nextOf("ended")
      assert.deepEqual(ended?.content, { why: "The session is over." })
      assert.equal(await events.next(), undefined)
      assert.ok(events.response.complete)
      await noneAtWork(gate)
    })
  }

  it("when the same session opens another, which goes on", async (t) => {
    const gate = await startGate(t, { limits })
    const older = await openEvents(t, gate.port)
    await older.next()
    const other = await openEvents(t, gate.port, headersOf("o"))
    const newer = await openEvents(t, gate.port)
    const ended = await older.nextOf("ended")
    assert.match(String(ended?.content["why"]), /opened anew/)
    assert.equal(await older.next(), undefined)
    for (const stream of [newer, other]) {
      for (let index = 0; index < 3; index += 1) {
        assert.equal((await stream.nextOf("state"))?.event, "state")
      }
      stream.response.destroy()
    }
    await noneAtWork(gate)
  })

  it("when the page leaves, which is nothing to log", async (t) => {
    const gate = await startGate(t, { limits })
    const events = await openEvents(t, gate.port)
    await events.next()
    events.response.destroy()
    await noneAtWork(gate)
    const others = gate.logged.filter(({ event }) => event !== "request")
    assert.deepEqual(others, [])
  })

  it("when the page leaves before it began", async (t) => {
    const answered = Promise.withResolvers<undefined>()
    const gate = await startGate(t, {
      script: {
        async consoleState() {
          await answered.promise
          return answers.consoleState
        },
      },
    })
    const opening = openEvents(t, gate.port)
    await until(() => gate.vault.calls[0], "the vault is asked")
    gate.http.closeAllConnections()
    await assert.rejects(opening)
    answered.resolve(undefined)
    await noneAtWork(gate)
    assert.equal(gate.vault.calls.filter(({ method }) => method === "consoleDecisions").length, 0)
  })

  for (const [what, bytes] of [
    ["reads", 1],
    ["doesn't read", 1_000],
  ] as const) {
    it(`at once when the gate stops, of a page that ${what}`, { timeout: 30_000 }, async (t) => {
      const feed = answerOf(feedOf(100, 100, bytes))
      const script = { consoleDecisions: () => feed }
      const gate = await startGate(t, { limits: { ...limits, stopMs: 600_000 }, script })
      const events = await openEvents(t, gate.port)
      if (what === "reads") await events.next()
      else await stillNumber(() => gate.vault.calls.length)
      await gate.stop()
      if (what === "reads") assert.equal(await events.nextOf("ended"), undefined)
    })
  }

  it("by a flaw of ours with the connection, so that the page comes back", async (t) => {
    let asked = 0
    const script = {
      consoleDecisions() {
        asked += 1
        return asked === 1 ? answerOf(feedOf(0, 0)) : (null as never)
      },
    }
    const gate = await startGate(t, { limits, script })
    const events = await openEvents(t, gate.port)
    await assert.rejects(events.nextOf("ended"), /aborted|ECONNRESET/)
    assert.ok(gate.logged.some(({ level, event }) => level === "error" && event === "failed"))
  })
})

describe("streams of events", () => {
  it("have a bound, which a session that opens its own anew doesn't meet", async (t) => {
    const gate = await startGate(t, { limits: { ...limits, maxConsoles: 2 } })
    const [first, second] = ["a", "b"].map(headersOf)
    await (await openEvents(t, gate.port, first)).next()
    const other = await openEvents(t, gate.port, second)
    await other.next()
    const path = "/console/events"
    assertRefused(await gate.ask({ path, headers: headersOf("c") }), 503, "overloaded")
    const again = await openEvents(t, gate.port, first)
    assert.equal((await again.next())?.event, "state")
    other.response.destroy()
    await until(async () => ((await atWork(gate)) === 2 ? true : undefined), "one is left")
    const third = await openEvents(t, gate.port, headersOf("c"))
    assert.equal((await third.next())?.event, "state")
  })

  it("leave bots their places", async (t) => {
    const gate = await startGate(t, { limits: { ...limits, maxStreams: 0, maxReads: 0 } })
    const events = await openEvents(t, gate.port)
    assert.equal((await events.next())?.event, "state")
    assert.equal((await gate.post("/sign/v1/trade/orders")).status, 200)
  })
})
