import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Envelope } from "../../../src/sandbox/answer-request.ts"
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts"
import { errorCodes } from "../../../src/sandbox/state/error-codes.ts"
import { until } from "../../support/process-tree.ts"
import { nowMs, typeA, wallet, type Fields } from "./signed-bodies.ts"

const order = { symbol_id: 1, is_buy: true, order_type: "limit", quantity: "1", price: "60000" }

type Playing = {
  /** Asks for a fault of the next order. */
  readonly fault: (fault: Fields) => Promise<void>
  readonly order: (signal?: AbortSignal) => Promise<Response>
  readonly openCount: () => Promise<number>
  readonly waiting: () => Promise<number>
  readonly lines: readonly string[]
}

describe("a fault on demand", () => {
  it("closes the connection before an order is played", () =>
    play(async (venue) => {
      await venue.fault({ kind: "drop_before" })
      await assert.rejects(venue.order())
      assert.equal(await venue.openCount(), 0)
      await taken(venue)
    }))

  it("closes the connection after an order was played", () =>
    play(async (venue) => {
      await venue.fault({ kind: "drop_after" })
      await assert.rejects(venue.order())
      assert.equal(await venue.openCount(), 1)
      assert.match(venue.lines.join("\n"), /order 1000001 open \(drop_after\)$/m)
    }))

  it("waits before an order is played, and plays none whose sender has gone", () =>
    play(async (venue) => {
      await venue.fault({ kind: "latency", ms: 600_000 })
      const sender = new AbortController()
      const sent = venue.order(sender.signal)
      await until(
        async () => ((await venue.waiting()) === 0 ? true : undefined),
        "the order has met its fault",
      )
      sender.abort()
      await assert.rejects(sent)
      assert.equal(await venue.openCount(), 0)
    }))

  it("lets a request through once its latency is over", () =>
    play(async (venue) => {
      await venue.fault({ kind: "latency", ms: 1 })
      await taken(venue)
    }))

  for (const scope of ["address", "ip"]) {
    it(`answers 429 for the ${scope} budget`, () =>
      play(async (venue) => {
        await venue.fault({ kind: "rate_limit", scope })
        const response = await venue.order()
        const { code, msg, data } = await envelopeOf(response)
        assert.deepEqual(
          [response.status, code, msg, data],
          [429, "10029", "Rate limit exceeded", { scope }],
        )
        assert.equal(await venue.openCount(), 0)
      }))
  }

  for (const { kind, open } of [
    { kind: "error_before", open: 0 },
    { kind: "error_after", open: 1 },
  ]) {
    it(`answers 5xx where ${open} orders were played: ${kind}`, () =>
      play(async (venue) => {
        await venue.fault({ kind, status: 504 })
        const response = await venue.order()
        assert.equal(response.status, 504)
        assert.equal((await envelopeOf(response)).code, errorCodes.fault)
        assert.equal(await venue.openCount(), open)
      }))
  }

  it("sends an answer in pieces, and all of it", () =>
    play(async (venue) => {
      await venue.fault({ kind: "slow_body", ms: 1 })
      await taken(venue)
    }))

  it("sends an answer without end", () =>
    play(async (venue) => {
      await venue.fault({ kind: "endless_body" })
      const response = await venue.order()
      let sizeBytes = 0
      for await (const chunk of response.body ?? []) {
        sizeBytes += (chunk as Uint8Array).length
        if (sizeBytes > 2 * 1_048_576) break
      }
      assert.ok(sizeBytes > 2 * 1_048_576)
      assert.equal(await venue.openCount(), 1)
    }))

  it("sends half of an answer", () =>
    play(async (venue) => {
      await venue.fault({ kind: "broken_json" })
      const response = await venue.order()
      const text = await response.text()
      assert.match(text, /^\{"code":"0"/)
      assert.throws(() => void JSON.parse(text), SyntaxError)
    }))

  it("calls an answer text/html", () =>
    play(async (venue) => {
      await venue.fault({ kind: "wrong_type" })
      const response = await venue.order()
      assert.equal(response.headers.get("content-type"), "text/html")
      assert.equal((await envelopeOf(response)).code, "0")
    }))

  it("puts the Date header ahead or back, and plays by its own clock", () =>
    play(async (venue) => {
      for (const ms of [3_600_000, -3_600_000]) {
        await venue.fault({ kind: "clock_offset", ms })
        const response = await venue.order()
        assert.equal(response.headers.get("date"), new Date(nowMs + ms).toUTCString())
        assert.equal((await envelopeOf(response)).code, "0")
      }
    }))
})

describe("the control of faults", () => {
  it("lists what waits, and takes all away", () =>
    withSandbox(async (url) => {
      const added = await control(url, "POST", { kind: "latency", times: 3 })
      assert.equal((added.envelope.data["list"] as readonly unknown[]).length, 1)
      const cleared = await control(url, "DELETE")
      assert.deepEqual([cleared.status, cleared.envelope.data], [200, { list: [] }])
    }))

  it("refuses what is no fault, and other methods", () =>
    withSandbox(async (url) => {
      const wrong = await control(url, "POST", { kind: "rain" })
      assert.deepEqual([wrong.status, wrong.envelope.code], [400, errorCodes.invalid_field])
      assert.equal((await control(url, "PUT", {})).envelope.code, errorCodes.method_not_allowed)
    }))

  it("takes none from a web page, which can't send JSON unasked", () =>
    withSandbox(async (url) => {
      const body = JSON.stringify({ kind: "latency" })
      const response = await fetch(url, { method: "POST", body })
      assert.equal((await envelopeOf(response)).code, errorCodes.not_json)
    }))
})

async function play(use: (venue: Playing) => Promise<void>): Promise<void> {
  const lines: string[] = []
  const read = async (url: string) => (await envelopeOf(await fetch(url))).data["list"]
  await withSandbox(async (controlUrl, url) => {
    await use({
      lines,
      fault: async (fault) => {
        const only = { times: 1, path: "/v1/trade/orders", ...fault }
        assert.equal((await control(controlUrl, "POST", only)).status, 200)
      },
      order: (signal) =>
        fetch(`${url}/v1/trade/orders`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(typeA(order)),
          ...(signal === undefined ? {} : { signal }),
        }),
      openCount: async () =>
        ((await read(`${url}/v1/trade/open-orders`)) as readonly unknown[]).length,
      waiting: async () => ((await read(controlUrl)) as readonly unknown[]).length,
    })
  }, lines)
}

/** The fault was for one request: the next is taken. */
async function taken(venue: Playing): Promise<void> {
  assert.equal((await envelopeOf(await venue.order())).code, "0")
}

async function withSandbox(
  use: (controlUrl: string, url: string) => Promise<void>,
  lines: string[] = [],
): Promise<void> {
  const log = (line: string) => void lines.push(line)
  const settings = { port: 0, accounts: [wallet.address], clock: () => nowMs, log }
  const sandbox = await startSandbox(settings)
  try {
    await use(`${sandbox.url}/__sandbox/fault`, sandbox.url)
  } finally {
    await sandbox.close()
  }
}

async function control(url: string, method: string, body?: unknown) {
  const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
  const response = await fetch(url, { method, ...(body === undefined ? {} : json) })
  return { status: response.status, envelope: await envelopeOf(response) }
}

async function envelopeOf(response: Response): Promise<Envelope> {
  return (await response.json()) as Envelope
}
