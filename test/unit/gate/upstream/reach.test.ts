import assert from "node:assert/strict"
import { createServer } from "node:net"
import { describe, it } from "node:test"

import type { Sent } from "../../../../src/gate/upstream/exchange.ts"
import { type Failing, failingAfter } from "../../../../src/gate/upstream/reach.ts"
import { watchVenue } from "../../../../src/gate/upstream/watch-venue.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { testUpstream } from "../../../support/gate.ts"
import { until } from "../../../support/process-tree.ts"
import { httpText, startRawVenue } from "../../../support/raw-venue.ts"
import { acceptedAnswer, sendAsk } from "../../../support/send-ask.ts"

const answered = (status: number): Sent => ({
  kind: "answered",
  answer: { status, headers: {}, body: Buffer.alloc(0) },
})
const unsent = (cause: unknown): Sent => ({ kind: "unsent", cause })
const unknown = (status: number | null, cause: unknown): Sent => ({
  kind: "unknown",
  status,
  cause,
})
const refused = Object.assign(new Error("no"), { code: "ECONNREFUSED" })

/** How the venue stands after these, a second apart. */
function after(...all: readonly Sent[]): Failing | undefined {
  return all.reduce<Failing | undefined>(
    (failing, sent, index) => failingAfter(failing, sent, index * 1_000),
    undefined,
  )
}

describe("how the venue is known not to answer", () => {
  it("is by tries in a row, counted from the first", () => {
    assert.deepEqual(after(unsent(refused), unknown(null, "deadline")), {
      ...{ sinceMs: 0, tries: 2, why: "deadline", isUnconnected: false },
    })
    assert.deepEqual(after(answered(200), unsent(refused))?.sinceMs, 1_000)
  })

  for (const status of [502, 503, 504]) {
    it(`is by HTTP ${status} of what stands before it`, () => {
      assert.equal(after(answered(status))?.why, `HTTP ${status}`)
    })
  }

  it("ends with any answer of its own, a no, a failure, or one that can't be read", () => {
    for (const sent of [200, 400, 429, 500, 501, 505].map(answered)) {
      assert.equal(after(unsent(refused), unsent(refused), sent), undefined)
    }
    assert.equal(after(unsent(refused), unknown(200, "answer too large")), undefined)
  })

  it("ends with a connection only where there was none", () => {
    assert.equal(after(unsent(refused), unsent("held back")), undefined)
    assert.equal(after(unknown(null, "deadline"), unsent("held back"))?.tries, 1)
    assert.equal(after(unsent("held back")), undefined)
  })

  it("is no matter of what was never tried", () => {
    assert.equal(after(unsent(new Fault("internal", "The path isn't plain."))), undefined)
  })
})

describe("a venue that comes back while nobody asks it anything", () => {
  it("is known to be back, and gets no byte", async (t) => {
    const closed = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => closed.once("listening", resolve))
    const { port } = closed.address() as { port: number }
    await new Promise((resolve) => closed.close(resolve))
    const upstream = testUpstream(t, `http://127.0.0.1:${port}`)
    const watch = watchVenue(() => upstream, 10)
    t.after(() => watch.stop())
    await upstream.send(sendAsk())
    const failing = await until(
      () => ((watch.unanswered()?.tries ?? 0) > 2 ? watch.unanswered() : undefined),
      "it is tried again",
    )
    assert.equal(failing.why, "ECONNREFUSED")
    let bytes = 0
    const open = createServer((socket) => {
      socket.on("data", ({ length }) => (bytes += length))
    })
    t.after(() => open.close())
    open.listen(port, "127.0.0.1")
    await until(() => (watch.unanswered() === undefined ? true : undefined), "it is back")
    assert.equal(bytes, 0)
  })

  it("isn't tried while it answers, or only doesn't say anything", async (t) => {
    let isMute = false
    const venue = await startRawVenue(t, {
      onRequest(socket) {
        if (!isMute) socket.write(httpText(acceptedAnswer))
      },
    })
    const upstream = testUpstream(t, venue.base, { upstreamTotalMs: 100 })
    let connects = 0
    const connect = (): Promise<void> => {
      connects += 1
      return Promise.resolve()
    }
    const counted = { failing: upstream.failing, connect }
    const watch = watchVenue(() => counted, 1)
    t.after(() => watch.stop())
    await upstream.send(sendAsk())
    assert.equal(watch.unanswered(), undefined)
    isMute = true
    await upstream.send(sendAsk())
    assert.equal(watch.unanswered()?.why, "deadline")
    assert.equal(connects, 0)
  })
})
