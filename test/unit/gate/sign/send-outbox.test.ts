import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { openGateMetrics } from "../../../../src/gate/http/metrics.ts"
import { sendOutbox } from "../../../../src/gate/sign/send-outbox.ts"
import type { Sent } from "../../../../src/gate/upstream/exchange.ts"
import type { SendAsk, Upstream } from "../../../../src/gate/upstream/upstream.ts"
import type { BotParams } from "../../../../src/link/calls/methods.ts"
import { connectBotLink } from "../../../../src/contract/client.ts"
import type { OutboxRequest } from "../../../../src/contract/stop-views.ts"
import { startFakeVault } from "../../../support/fake-vault.ts"
import { unwatched } from "../../../support/send-ask.ts"

const nowMs = 1_000_000
const request: OutboxRequest = {
  record: "rec_1",
  path: "/v1/trade/orders/cancel-all",
  body: "{}",
  expires_after: 1_780_000_000_000,
  good_for_ms: 15_000,
}

const accepted: Sent = {
  kind: "answered",
  answer: { status: 200, headers: {}, body: Buffer.from('{"code": "0"}') },
}

type Report = BotParams["outboxReport"]

type Sending = {
  readonly sent: readonly SendAsk[]
  /** What was reported, once there is so much. */
  readonly reports: (count: number) => Promise<readonly Report[]>
  /** Gives these requests out to whoever asks next. */
  readonly give: (requests: readonly OutboxRequest[]) => void
}

/** A gate's outbox before a vault and a venue that a test plays; `answers` are the venue's, in turn. */
async function start(t: TestContext, answers: readonly Sent[]): Promise<Sending> {
  const left = [...answers]
  const sent: SendAsk[] = []
  const reports: Report[] = []
  const given: (readonly OutboxRequest[])[] = []
  let wake: () => void = () => undefined
  let heard: () => void = () => undefined
  const vault = await startFakeVault({
    outbox: async () => {
      while (given.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return { requests: given.shift() ?? [] }
    },
    outboxReport: (report) => {
      reports.push(report)
      heard()
      return { kind: "answer" }
    },
  })
  const upstream: Upstream = {
    address: "https://venue.test",
    send: (ask) => {
      sent.push(ask)
      const answer = left.shift() ?? accepted
      if (answer.kind !== "unsent" && !ask.maySend()) {
        return Promise.resolve({ kind: "unsent", cause: "held back" })
      }
      return Promise.resolve(answer)
    },
    fetch: () => Promise.reject(new Error("nothing is read here")),
    ...unwatched,
    close: () => Promise.resolve(),
  }
  const link = connectBotLink(vault.path)
  const outbox = sendOutbox({
    link,
    upstream: () => upstream,
    log: () => undefined,
    metrics: openGateMetrics(),
    clock: () => nowMs,
  })
  t.after(async () => {
    await outbox.stop()
    given.push([])
    wake()
    await vault.close()
  })
  return {
    sent,
    give(requests) {
      given.push(requests)
      wake()
    },
    async reports(count) {
      while (reports.length < count) await new Promise<void>((resolve) => (heard = resolve))
      return reports
    },
  }
}

function told(reports: readonly Report[]): readonly string[] {
  return reports.map(({ record, outcome }) => `${record} ${outcome.kind}`)
}

describe("the gate's outbox", () => {
  it("sends each request as it is given, and reports what became of it", async (t) => {
    const { sent, reports, give } = await start(t, [accepted])
    give([request])
    assert.deepEqual(told(await reports(2)), ["rec_1 sent", "rec_1 accepted"])
    assert.deepEqual(
      sent.map(({ path, body }) => ({ path, body })),
      [{ path: request.path, body: request.body }],
    )
  })

  it("goes on asking after it sent some", async (t) => {
    const { reports, give } = await start(t, [])
    give([request])
    await reports(2)
    give([{ ...request, record: "rec_2" }])
    assert.deepEqual(told(await reports(4)).slice(2), ["rec_2 sent", "rec_2 accepted"])
  })

  it("never sends a request again of which a byte may have left, but says again what is known", async (t) => {
    const { sent, reports, give } = await start(t, [
      { kind: "unknown", status: null, cause: "cut" },
    ])
    give([request])
    assert.deepEqual(told(await reports(2)), ["rec_1 sent", "rec_1 unknown"])
    give([request])
    assert.deepEqual(told(await reports(3)).slice(2), ["rec_1 unknown"])
    assert.equal(sent.length, 1)
  })

  it("sends again what was never begun", async (t) => {
    const { sent, reports, give } = await start(t, [{ kind: "unsent", cause: "refused" }])
    give([request])
    assert.deepEqual(told(await reports(1)), ["rec_1 unsent"])
    give([request])
    assert.deepEqual(told(await reports(3)).slice(1), ["rec_1 sent", "rec_1 accepted"])
    assert.equal(sent.length, 2)
  })

  it("doesn't send what has expired, and does up to then", async (t) => {
    const { reports, give } = await start(t, [])
    give([{ ...request, good_for_ms: 0 }])
    assert.deepEqual(told(await reports(1)), ["rec_1 unsent"])
    give([{ ...request, record: "rec_2", good_for_ms: 1 }])
    assert.deepEqual(told(await reports(3)).slice(1), ["rec_2 sent", "rec_2 accepted"])
  })
})
