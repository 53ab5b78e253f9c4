import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import fc from "fast-check"

import type { LogEntry } from "../../../src/gate/process/log.ts"
import { pollPrices, pricesIn } from "../../../src/gate/poll-prices.ts"
import type { FetchAsk } from "../../../src/gate/upstream/upstream.ts"
import type { BotParams, BotResults } from "../../../src/link/calls/methods.ts"
import type { PollRound } from "../../../src/link/calls/gate-methods.ts"
import type { BotLink } from "../../../src/contract/client.ts"
import { until } from "../../support/process-tree.ts"
import { numRuns } from "../../support/runs.ts"

const symbols = Array.from({ length: 250 }, (_, index) => ({ id: index, name: `S${index}-PERP` }))
const paths = ["/v1/market/ticker?symbol_id=0", "/v1/market/ticker?symbol_id=1"]
const round = { paths, list: undefined, symbol: ["data", "id"], value: ["data", "mark"], symbols }

type Fed = BotParams["polledPrices"]

type Playing = {
  readonly asked: FetchAsk[]
  readonly fed: Fed[]
  readonly logged: LogEntry[]
  readonly poll: ReturnType<typeof pollPrices>
}

type Script = {
  /** What the vault lets begin; at first a round, and again after 20 ms. */
  readonly next?: () => BotResults["pricePoll"]
  readonly take?: (fed: Fed) => BotResults["polledPrices"]
  readonly answer?: (ask: FetchAsk) => string | undefined
  readonly hasVenue?: () => boolean
}

/** The gate's side, between a vault and a venue that a test plays. */
function play(t: TestContext, script: Script = {}): Playing {
  const [asked, fed, logged]: [FetchAsk[], Fed[], LogEntry[]] = [[], [], []]
  let rounds = 0
  const next = script.next ?? (() => ({ dueInMs: 20, round: { ...round, id: (rounds += 1) } }))
  const call = (method: string, params: Fed) => {
    if (method === "pricePoll") return Promise.resolve().then(next)
    fed.push(params)
    return Promise.resolve().then(() => script.take?.(params) ?? { kind: "answer" })
  }
  const fetch = (ask: FetchAsk) => {
    asked.push(ask)
    const body = (script.answer ?? tickerOf)(ask)
    return Promise.resolve(
      body === undefined
        ? ({ kind: "unknown", status: null, cause: "deadline" } as const)
        : ({
            kind: "answered",
            answer: { status: 200, headers: {}, body: Buffer.from(body) },
          } as const),
    )
  }
  const poll = pollPrices({
    link: { call } as unknown as BotLink, // the two calls that are made
    upstream: () => (script.hasVenue?.() === false ? undefined : { fetch }),
    log: (entry) => void logged.push(entry),
    idleMs: 5,
  })
  t.after(() => poll.stop())
  return { asked, fed, logged, poll }
}

function tickerOf({ query }: FetchAsk): string {
  const id = query.replace("symbol_id=", "")
  return `{"code": "0", "data": {"id": ${id}, "mark": 64000.${id}0}}`
}

const shown = (logged: readonly LogEntry[]) =>
  logged.map(({ event, code = "", message = "" }) => `${event} ${code} ${message}`)

describe("the gate's poll of prices", () => {
  it("reads each path of a round and hands over what it has, as it was written", async (t) => {
    const { asked, fed, logged } = play(t)
    await until(() => (fed.length >= 4 ? true : undefined), "two rounds were fed")
    assert.deepEqual(
      asked.slice(0, 2).map(({ path, query }) => `${path}?${query}`),
      paths,
    )
    assert.deepEqual(fed.slice(0, 3), [
      { round: 1, path: paths[0], prices: [{ symbol: "S0-PERP", value: "64000.00" }] },
      { round: 1, path: paths[1], prices: [{ symbol: "S1-PERP", value: "64000.10" }] },
      { round: 2, path: paths[0], prices: [{ symbol: "S0-PERP", value: "64000.00" }] },
    ])
    assert.deepEqual(logged, [])
  })

  it("reads nothing while the vault lets no round begin, has none, or is away", async (t) => {
    let asks = 0
    const away = () => {
      throw new Error("away")
    }
    const answers: readonly (() => BotResults["pricePoll"])[] = [
      () => ({ dueInMs: 1, round: null }),
      () => ({ dueInMs: null, round: null }),
      away,
    ]
    const next = () => (answers[(asks += 1) % answers.length] ?? away)()
    const { asked } = play(t, { next })
    await until(() => (asks > 9 ? true : undefined), "it was asked")
    assert.deepEqual(asked, [])
  })

  it("asks for no round where no venue is configured", async (t) => {
    let [asks, looks] = [0, 0]
    const next = () => ({ dueInMs: 1, round: null, asks: (asks += 1) })
    play(t, { next, hasVenue: () => (looks += 1) > 5 })
    await until(() => (asks > 0 ? true : undefined), "it was asked")
    assert.ok(looks > 5)
  })

  it("hands over a long list in parts, and goes on where one of them is refused", async (t) => {
    const list = symbols.map(({ id }) => `{"id": ${id}, "mark": "1"}`).join()
    const refusal = { code: "invalid_request", message: "", data: { errors: [] } } as const
    const refused = { kind: "refused", refusal, record: null } as const
    const { fed, logged } = play(t, {
      next: () => ({
        dueInMs: 60_000,
        round: {
          ...round,
          id: 1,
          paths: ["/v1/a"],
          list: ["data"],
          symbol: ["id"],
          value: ["mark"],
        },
      }),
      answer: () => `{"code": "0", "data": [${list}]}`,
      take: ({ prices }) => (prices[0]?.symbol === "S0-PERP" ? refused : { kind: "answer" }),
    })
    await until(() => (fed.length >= 3 ? true : undefined), "all was fed")
    assert.deepEqual(
      fed.slice(0, 3).map(({ prices }) => [prices.length, prices[0]?.symbol]),
      [
        [100, "S0-PERP"],
        [100, "S100-PERP"],
        [50, "S200-PERP"],
      ],
    )
    await until(() => (logged.length > 0 ? true : undefined), "it was logged")
    assert.deepEqual(shown(logged), ["price_poll_failed invalid_request /v1/a"])
  })

  it("says once when a path begins to fail, otherwise fails, and works again", async (t) => {
    let answer: string | undefined = undefined
    const { logged, asked } = play(t, {
      answer: (ask) => (ask.query === "symbol_id=1" ? tickerOf(ask) : answer),
    })
    const [path] = paths
    const settled = async (count: number) => {
      await until(() => (logged.length >= count ? true : undefined), `${count} lines`)
      const before = asked.length
      await until(() => (asked.length > before + 4 ? true : undefined), "two rounds more")
    }
    await settled(1)
    answer = "<html>"
    await settled(2)
    answer = tickerOf({ query: "symbol_id=0" } as FetchAsk)
    await settled(3)
    assert.deepEqual(shown(logged), [
      `price_poll_failed deadline ${path}`,
      `price_poll_failed no_price ${path}`,
      `price_poll_works  ${path}`,
    ])
  })

  it("cuts off a read when the next round is due, and when it is stopped", async (t) => {
    const signals: AbortSignal[] = []
    const answer = ({ signal }: FetchAsk) => (signals.push(signal), undefined)
    const { poll, asked } = play(t, { answer })
    await until(() => (signals[0]?.aborted === true ? true : undefined), "the first was cut off")
    poll.stop()
    assert.ok(signals.every(({ aborted }) => aborted))
    const before = asked.length
    await new Promise((resolve) => setTimeout(resolve, 60))
    assert.ok(asked.length <= before + 1, "no more than the round under way")
  })
})

const listed: PollRound = {
  ...{ id: 1, paths: [], list: ["data", "list"], symbol: ["symbol"], value: ["mark"] },
  symbols: [
    { id: 1, name: "BTC-PERP" },
    { id: 22, name: "ETH-PERP" },
  ],
}

function answer(data: string, { code = '"0"', status = 200 } = {}) {
  return { status, body: Buffer.from(`{"code": ${code}, "msg": "", "data": ${data}}`) }
}

function inList(...entries: readonly string[]) {
  return pricesIn(answer(`{"list": [${entries.join()}]}`), listed)
}

describe("the prices in an answer", () => {
  it("are those of the symbols that are polled, by id or by name, in the digits that the venue wrote", () => {
    const prices = inList(
      '{"symbol": 1, "mark": "64000.10"}',
      '{"symbol": "SOL-PERP", "mark": "150"}',
      '{"symbol": "ETH-PERP", "mark": 3200.1000000000000000001}',
    )
    assert.deepEqual(prices, [
      { symbol: "BTC-PERP", value: "64000.10" },
      { symbol: "ETH-PERP", value: "3200.1000000000000000001" },
    ])
  })

  it("are one where the answer itself is the entry", () => {
    const alone = { ...listed, list: undefined, symbol: ["data", "id"], value: ["data", "a", "0"] }
    const prices = pricesIn(answer('{"id": "22", "a": [3200]}'), alone)
    assert.deepEqual(prices, [{ symbol: "ETH-PERP", value: "3200" }])
  })

  it("lack a symbol that the list lacks, and have the others", () => {
    assert.deepEqual(inList('{"symbol": 22, "mark": "3200"}'), [
      { symbol: "ETH-PERP", value: "3200" },
    ])
  })

  for (const entry of [
    '{"symbol": 1}',
    '{"symbol": 1, "mark": null}',
    '{"symbol": 1, "mark": true}',
    '{"symbol": 1, "mark": {"rawJSON": "1"}}',
    '{"symbol": 1, "mark": ["1"]}',
    `{"symbol": 1, "mark": "${"1".repeat(65)}"}`,
    '{"symbol": 1.0, "mark": "1"}',
    '{"symbol": "01", "mark": "1"}',
    '{"symbol": "", "mark": "1"}',
    '{"mark": "1"}',
    "null",
    "1",
    '"BTC-PERP"',
    "[]",
  ]) {
    it(`leave out ${entry.slice(0, 40)}`, () => {
      assert.deepEqual(inList(entry, '{"symbol": 22, "mark": "3200"}'), [
        { symbol: "ETH-PERP", value: "3200" },
      ])
    })
  }

  const good = '{"list": [{"symbol": 1, "mark": "1"}]}'
  for (const [what, garbage] of [
    ["an error of the venue", answer(good, { code: '"10029"' })],
    ["a code that is a number", answer(good, { code: "0" })],
    ["a status that is no success", answer(good, { status: 404 })],
    ["a list that is none", answer('{"list": {"symbol": 1, "mark": "1"}}')],
    ["no data", answer("null")],
    ["half of an answer", { status: 200, body: answer(good).body.subarray(0, -1) }],
    ["a page for people", { status: 200, body: Buffer.from("<html>") }],
    ["bytes that aren't UTF-8", { status: 200, body: Buffer.from([0xff, 0xfe]) }],
    ["nothing", { status: 200, body: Buffer.alloc(0) }],
  ] as const) {
    it(`are none in ${what}`, () => {
      assert.deepEqual(pricesIn(garbage, listed), [])
    })
  }

  it("are there in a good answer, by which the others are told", () => {
    assert.deepEqual(pricesIn(answer(good), listed), [{ symbol: "BTC-PERP", value: "1" }])
  })

  it("never throw, whatever the answer is", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (data) => {
        const prices = pricesIn(answer(data), listed)
        assert.ok(prices.every(({ symbol }) => ["BTC-PERP", "ETH-PERP"].includes(symbol)))
      }),
      numRuns(300),
    )
  })
})
