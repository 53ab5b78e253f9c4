import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Envelope } from "../../../src/sandbox/answer-request.ts"
import {
  createFaultBox,
  faultKinds,
  parseFault,
  parseFaultText,
  type VenueFault,
} from "../../../src/sandbox/faults.ts"
import { startSandbox } from "../../../src/sandbox/start-sandbox.ts"
import { errorCodes } from "../../../src/sandbox/state/error-codes.ts"
import { until } from "../../support/process-tree.ts"
import { type Fields, nowMs, typeA, wallet } from "./signed-bodies.ts"

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

describe("a fault", () => {
  for (const kind of Object.keys(faultKinds)) {
    it(`can be ${kind}, for all requests below /v1/ until it is taken away`, () => {
      const { times, chance, path } = parsed({ kind })
      assert.deepEqual({ times, chance, path }, { times: undefined, chance: 1, path: "/v1/" })
    })
  }

  it("reads the same from a line as from JSON", () => {
    const line = "error_before,times=3,chance=0.5,path=/v1/trade/orders,ms=0,status=504"
    const text = parseFaultText(line)
    const rest = { times: 3, chance: 0.5, path: "/v1/trade/orders", ms: 0, status: 504 }
    assert.ok(text.ok)
    assert.deepEqual(text.value, parsed({ kind: "error_before", ...rest }))
  })

  const bounds: readonly { readonly good: Fields; readonly bad: Fields }[] = [
    { good: { times: 1 }, bad: { times: 0 } },
    { good: { chance: 1 }, bad: { chance: 1.1 } },
    { good: { chance: 0.001 }, bad: { chance: 0 } },
    { good: { status: 500 }, bad: { status: 499 } },
    { good: { status: 599 }, bad: { status: 600 } },
    { good: { ms: 0 }, bad: { ms: -1 } },
    { good: { ms: 600_000 }, bad: { ms: 600_001 } },
    { good: { path: "/" }, bad: { path: "v1" } },
    { good: { scope: "ip" }, bad: { scope: "all" } },
  ]
  for (const { good, bad } of bounds) {
    it(`takes ${JSON.stringify(good)} and refuses ${JSON.stringify(bad)}`, () => {
      parsed({ kind: "latency", ...good })
      assert.equal(parseFault({ kind: "latency", ...bad }).ok, false)
    })
  }

  it("may put the clock back, and nothing else", () => {
    assert.equal(parsed({ kind: "clock_offset", ms: -5_000 }).ms, -5_000)
    assert.equal(parseFault({ kind: "slow_body", ms: -5_000 }).ok, false)
  })

  for (const wrong of [null, [], "latency", {}, { kind: "rain" }, { kind: "latency", often: 1 }]) {
    it(`isn't ${JSON.stringify(wrong)}`, () => {
      const read = parseFault(wrong)
      assert.ok(!read.ok)
      assert.match(read.error, /^[^\n]+\.$/)
    })
  }
  for (const wrong of ["", "rain", "latency,ms", "latency,ms=", "latency,ms=x", "latency,5"]) {
    it(`isn't the text "${wrong}"`, () => assert.equal(parseFaultText(wrong).ok, false))
  }
})

describe("the faults that wait", () => {
  it("strike as often as asked, and are gone then", () => {
    const box = createFaultBox(1, [parsed({ kind: "latency", times: 2 })])
    assert.equal(box.strike("/v1/a").length, 1)
    assert.equal(box.list()[0]?.times, 1)
    assert.equal(box.strike("/v1/a").length, 1)
    assert.deepEqual([box.strike("/v1/a"), box.list()], [[], []])
  })

  it("strike the paths that they are for", () => {
    const box = createFaultBox(1, [parsed({ kind: "latency", times: 1, path: "/v1/trade/" })])
    assert.deepEqual(box.strike("/v1/account/transfer"), [])
    assert.equal(box.strike("/v1/trade/orders").length, 1)
  })

  it("strike together", () => {
    const box = createFaultBox(1, [parsed({ kind: "latency" }), parsed({ kind: "drop_after" })])
    assert.deepEqual(
      box.strike("/v1/a").map(({ kind }) => kind),
      ["latency", "drop_after"],
    )
    box.clear()
    assert.deepEqual(box.strike("/v1/a"), [])
  })

  it("strike the same requests for the same seed, and others for another", () => {
    const luck = (seed: number) => {
      const box = createFaultBox(seed, [parsed({ kind: "latency", chance: 0.5 })])
      return Array.from({ length: 64 }, () => box.strike("/v1/a").length).join("")
    }
    assert.equal(luck(7), luck(7))
    assert.notEqual(luck(7), luck(8))
    assert.match(luck(7), /01/)
  })

  it("strike about as often as their chance says", () => {
    const box = createFaultBox(3, [parsed({ kind: "latency", chance: 0.25 })])
    const struck = Array.from({ length: 4_000 }, () => box.strike("/v1/a").length)
    const count = struck.reduce((total, each) => total + each, 0)
    assert.ok(count > 900 && count < 1_100, String(count)) // the seed is fixed, so it is always the same
  })
})

function parsed(value: unknown): VenueFault {
  const fault = parseFault(value)
  if (!fault.ok) assert.fail(fault.error)
  return fault.value
}
