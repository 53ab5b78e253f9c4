import assert from "node:assert/strict"
import { once } from "node:events"
import { describe, it, type TestContext } from "node:test"
import { setTimeout as wait } from "node:timers/promises"

import type { BotLink } from "../../../src/contract/client.ts"
import { pollAccounts } from "../../../src/gate/poll-account.ts"
import type { LogEntry } from "../../../src/gate/process/log.ts"
import type { AnswerMade, Sent } from "../../../src/gate/upstream/exchange.ts"
import type { FetchAsk } from "../../../src/gate/upstream/upstream.ts"
import type { AccountRound } from "../../../src/link/calls/gate-methods.ts"
import type { BotParams, BotResults } from "../../../src/link/calls/methods.ts"
import { botParams } from "../../../src/link/calls/methods.ts"
import { parseAddress } from "../../../src/venue/address.ts"
import { until } from "../../support/process-tree.ts"

const account = parseAddress(`0x${"1".repeat(40)}`) ?? assert.fail()
const other = parseAddress(`0x${"2".repeat(40)}`) ?? assert.fail()

const list = { list: "/data/list", symbol: "/symbol" }
const ofOrders = {
  ...list,
  side: { at: "/is_buy", buy: "true", sell: "false" },
  remaining: "/left",
}
const map = {
  orders: [
    { ...ofOrders, path: "/v1/trade/$account/open?limit=100" },
    { ...ofOrders, path: "/v1/trade/stops?account=$account" },
  ],
  positions: {
    ...list,
    path: "/v1/account/positions?account=$account",
    quantity: "/size",
    sign: "signed",
  },
} satisfies AccountRound["map"]
const round: AccountRound = { ...{ ticket: "t1", account, lagMs: 30 }, map }
const paths = [
  `/v1/trade/${account}/open?limit=100`,
  `/v1/trade/stops?account=${account}`,
  `/v1/account/positions?account=${account}`,
]

const order = (symbol: number) => `{"symbol": ${symbol}, "is_buy": true, "left": "1"}`
const position = '{"symbol": 1, "size": "-2"}'

type Handed = BotParams["polledAccount"]
/** A read, with the times at which it was asked for and answered. */
type Ask = { readonly url: string; readonly askedMs: number; answeredMs: number }

type Script = {
  readonly next?: () => BotResults["accountPoll"]
  readonly take?: (handed: Handed) => BotResults["polledAccount"]
  /** The list of an answer, or all that came of it; `undefined` for none. */
  readonly answer?: (url: string) => readonly string[] | Sent | undefined
  readonly made?: (url: string) => AnswerMade | undefined
  /** Whether a read has no answer until it is cut off. */
  readonly hangs?: (url: string) => boolean
  readonly readingMs?: number
  readonly hasVenue?: () => boolean
}

/** The gate's side, between a vault and a venue that a test plays. */
function play(t: TestContext, script: Script = {}) {
  const [asked, handed, logged]: [Ask[], Handed[], LogEntry[]] = [[], [], []]
  const signals: AbortSignal[] = []
  const next = script.next ?? (() => ({ dueInMs: 5, round }))
  const call = async (method: string, params: Handed) => {
    await Promise.resolve()
    if (method === "accountPoll") return next()
    handed.push(botParams.polledAccount.parse(JSON.parse(JSON.stringify(params))))
    return script.take?.(params) ?? { kind: "answer" }
  }
  const fetch = async ({ path, query, signal }: FetchAsk): Promise<Sent> => {
    const url = query === "" ? path : `${path}?${query}`
    const ask = { url, askedMs: performance.now(), answeredMs: Infinity }
    asked.push(ask)
    signals.push(signal)
    await wait(5)
    if (script.hangs?.(url) === true) return hungUp(signal)
    const sent = sentOf((script.answer ?? usual)(url), script.made?.(url))
    ask.answeredMs = performance.now()
    return sent
  }
  const poll = pollAccounts({
    link: { call } as unknown as BotLink, // the two calls that are made
    upstream: () => (script.hasVenue?.() === false ? undefined : { fetch }),
    log: (entry) => void logged.push(entry),
    idleMs: 5,
    ...(script.readingMs !== undefined && { readingMs: script.readingMs }),
  })
  t.after(() => poll.stop())
  return { asked, handed, logged, signals, poll }
}

function usual(url: string): readonly string[] {
  return url.includes("positions") ? [position] : [order(url.includes("stops") ? 2 : 1)]
}

function sentOf(came: readonly string[] | Sent | undefined, made: AnswerMade | undefined): Sent {
  if (came === undefined) return { kind: "unknown", status: null, cause: "deadline" }
  if (!Array.isArray(came)) return came as Sent // what isn't an array is the other of the two
  const body = Buffer.from(`{"code": "0", "data": {"list": [${came.join()}]}}`)
  return { kind: "answered", answer: { status: 200, headers: {}, body }, made }
}

async function hungUp(signal: AbortSignal): Promise<Sent> {
  if (!signal.aborted) await once(signal, "abort")
  return { kind: "unknown", status: null, cause: "hung up" }
}

function answered(status: number, body: string): Sent {
  return { kind: "answered", answer: { status, headers: {}, body: Buffer.from(body) } }
}

const shown = (logged: readonly LogEntry[]) =>
  logged.map(({ event, code = "", message = "" }) => `${event} ${code} ${message}`)

const some = (all: readonly unknown[], count = 1) =>
  until(() => (all.length >= count ? true : undefined), `${count} came`)

describe("the gate's poll of accounts", () => {
  it("reads all lists of an account and hands over what is there, under the vault's ticket", async (t) => {
    const { asked, handed, logged } = play(t)
    await some(handed)
    assert.deepEqual(
      asked.slice(0, 3).map(({ url }) => url),
      paths,
    )
    const plain = { is_buy: true, remaining: "1", reduce_only: false }
    assert.deepEqual(handed[0], {
      ticket: "t1",
      reading: {
        orders: [
          { symbol: "1", ...plain },
          { symbol: "2", ...plain },
        ],
        positions: [{ symbol: "1", quantity: "-2" }],
      },
    })
    assert.deepEqual(logged, [])
  })

  it("reads what the account is worth last, where venue.yaml says where that is", async (t) => {
    const equity = { path: "/v1/account/$account/equity", value: "/data/equity" }
    const next = () => ({ dueInMs: 5, round: { ...round, map: { ...map, equity } } })
    const worth = `/v1/account/${account}/equity`
    const data = (text: string) => answered(200, `{"code": "0", "data": ${text}}`)
    let told = '{"equity": "-12.5"}'
    const answer = (url: string) => (url === worth ? data(told) : usual(url))
    const { asked, handed, logged } = play(t, { next, answer })
    await some(handed)
    const [, , ofPositions, ofWorth] = asked
    assert.equal(ofWorth?.url, worth)
    assert.ok(ofPositions && ofWorth.askedMs >= ofPositions.answeredMs)
    assert.equal(handed[0]?.reading.equity, "-12.5")
    told = "{}"
    await some(logged)
    const count = handed.length
    await some(asked, asked.length + 8)
    assert.equal(handed.length, count, "nothing of a reading is taken without it")
    assert.deepEqual(shown(logged), [`account_poll_failed unreadable_equity ${worth}`])
  })

  it("asks for one list when the one before has come, and for positions when the lag has passed since", async (t) => {
    const { asked, handed } = play(t)
    await some(handed, 3)
    for (let at = 0; at < 9; at += 3) {
      const [first, second, last] = asked.slice(at, at + 3)
      assert.ok(first && second && last)
      assert.ok(second.askedMs >= first.answeredMs)
      assert.ok(last.askedMs >= second.answeredMs + round.lagMs)
    }
  })

  it("keeps the whole lag also when this process was busy meanwhile", async (t) => {
    // A timer counts from the beginning of its turn, which this makes a while ago.
    const answer = (url: string) => {
      const untilMs = performance.now() + 40
      while (url === paths[1] && performance.now() < untilMs);
      return usual(url)
    }
    const { asked, handed } = play(t, { answer })
    await some(handed)
    const [, second, last] = asked
    assert.ok(second && last)
    assert.ok(last.askedMs >= second.answeredMs + round.lagMs)
  })

  it("reads without a pause where there is no lag", async (t) => {
    const { handed } = play(t, { next: () => ({ dueInMs: 5, round: { ...round, lagMs: 0 } }) })
    await some(handed)
  })

  it("reads nothing while the vault lets no reading begin, has none, or is away", async (t) => {
    let asks = 0
    const away = () => {
      throw new Error("away")
    }
    const answers: readonly (() => BotResults["accountPoll"])[] = [
      () => ({ dueInMs: 1, round: null }),
      () => ({ dueInMs: null, round: null }),
      away,
    ]
    const { asked } = play(t, { next: () => (answers[(asks += 1) % 3] ?? away)() })
    await until(() => (asks > 9 ? true : undefined), "it was asked")
    assert.deepEqual(asked, [])
  })

  it("asks the vault for no reading where no venue is configured", async (t) => {
    let [asks, looks] = [0, 0]
    const next = () => ({ dueInMs: 1, round: null, asks: (asks += 1) })
    play(t, { next, hasVenue: () => (looks += 1) > 5 })
    await until(() => (asks > 0 ? true : undefined), "it was asked")
    assert.ok(looks > 5)
  })

  it("reads one account at a time, however soon the next is due", async (t) => {
    let rounds = 0
    const next = () => ({ dueInMs: 0, round: { ...round, ticket: `t${(rounds += 1)}` } })
    const { asked, handed } = play(t, { next })
    await some(handed, 3)
    assert.deepEqual(
      handed.slice(0, 3).map(({ ticket }) => ticket),
      ["t1", "t2", "t3"],
    )
    const urls = asked.map(({ url }) => url)
    assert.deepEqual(urls.slice(0, 9), [...paths, ...paths, ...paths])
  })

  it("tells the earliest time of the lists of orders, and none where one tells none", async (t) => {
    const times: Readonly<Record<string, number | undefined>> = { open: 9_000, stops: 7_000 }
    let isTold = true
    const made = (url: string) => {
      const atMs = url.includes("positions")
        ? 1_000
        : times[url.includes("stops") ? "stops" : "open"]
      return { atMs: isTold || !url.includes("stops") ? atMs : undefined, isKept: false }
    }
    const { handed } = play(t, { made })
    await some(handed)
    const venueAt = handed[0]?.reading.venue_at ?? 0
    assert.ok(venueAt <= 7_000 && venueAt > 6_000, `${venueAt}`) // less what the answer took
    isTold = false
    await some(handed, handed.length + 2)
    assert.ok(!("venue_at" in (handed.at(-1)?.reading ?? {})))
  })

  it("cuts a reading off when it takes too long, besides the lag", async (t) => {
    const { logged, asked } = play(t, { hangs: (url) => url === paths[2], readingMs: 100 })
    await some(logged)
    assert.deepEqual(shown(logged), [`account_poll_failed deadline ${paths[2]}`])
    const tookMs = performance.now() - (asked[0]?.askedMs ?? Infinity)
    assert.ok(tookMs > 100 + round.lagMs - 10, `${tookMs} ms`)
  })

  for (const at of [0, 2]) {
    it(`cuts off the ${at === 0 ? "first" : "last"} read when it is stopped, without a word`, async (t) => {
      const { asked, handed, logged, signals, poll } = play(t, {
        hangs: (url) => url === paths[at],
      })
      await some(asked, at + 1)
      poll.stop()
      assert.ok(signals.every(({ aborted }) => aborted))
      await wait(60)
      assert.deepEqual([asked.length, handed, logged], [at + 1, [], []])
    })
  }
})

describe("a reading of an account", () => {
  const full = (count: number, text: string) => Array.from({ length: count }, () => text)

  for (const [what, at, came, why] of [
    ["one list has no answer", 0, undefined, "deadline"],
    ["the last list of orders fails", 1, answered(503, ""), "status_503"],
    ["positions fail", 2, answered(200, "<html>"), "no_json"],
    ["an order can't be read", 1, [order(1), '{"symbol": 1}'], "unreadable_is_buy"],
    ["a position can't be read", 2, [position, "{}"], "unreadable_symbol"],
    [
      "there are more pages",
      0,
      answered(200, '{"code": "0", "data": {"list": [], "has_more": true}}'),
      "more_pages",
    ],
  ] as const) {
    it(`isn't handed over where ${what}, nor is anything read after that`, async (t) => {
      const answer = (url: string) => (url === paths[at] ? came : usual(url))
      const { asked, handed, logged } = play(t, { answer })
      await some(asked, 2 * (at + 1))
      const expected = paths.slice(0, at + 1)
      assert.deepEqual(
        asked.slice(0, 2 * (at + 1)).map(({ url }) => url),
        [...expected, ...expected],
      )
      assert.deepEqual(handed, [])
      assert.deepEqual(shown(logged), [`account_poll_failed ${why} ${paths[at]}`])
    })
  }

  it("isn't begun where venue.yaml says what isn't understood; the log says which member", async (t) => {
    const positions = { ...map.positions, sign: "unsigned" }
    const next = () => ({ dueInMs: 5, round: { ...round, map: { ...map, positions } } })
    const { asked, logged } = play(t, { next })
    await some(logged)
    assert.deepEqual(shown(logged), [
      `account_poll_failed account_invalid ${account}: expected signed, or {at: /side, long: long, short: short} (at account.positions.sign)`,
    ])
    assert.deepEqual(asked, [])
  })

  for (const at of [0, 1, 2]) {
    it(`isn't handed over where a cache kept the answer of ${paths[at]?.split("?")[0]}`, async (t) => {
      const made = (url: string) => ({ atMs: 1, isKept: url === paths[at] })
      const { handed, logged } = play(t, { made })
      await some(logged)
      assert.deepEqual(shown(logged), [`account_poll_failed kept_by_cache ${paths[at]}`])
      assert.deepEqual(handed, [])
    })
  }

  it("has up to 500 orders of all lists together, and 200 positions", async (t) => {
    let [orders, positions] = [250, 200]
    const answer = (url: string) =>
      url === paths[2] ? full(positions, position) : full(orders, order(1))
    const { handed, logged } = play(t, { answer })
    await some(handed)
    assert.equal(handed[0]?.reading.orders.length, 500)
    assert.equal(handed[0].reading.positions.length, 200)
    positions = 201
    await some(logged)
    orders = 251
    await some(logged, 2)
    assert.deepEqual(shown(logged), [
      `account_poll_failed too_many_positions ${account}`,
      `account_poll_failed too_many_orders ${account}`,
    ])
  })

  it("says once when it begins to fail, otherwise fails, and works again, of each account", async (t) => {
    let came: Sent | undefined = undefined
    let [rounds, isFailing, isRefused] = [0, true, false]
    const refusal = { code: "invalid_request", message: "", data: { errors: [] } } as const
    const { logged } = play(t, {
      next: () => ({
        dueInMs: 1,
        round: { ...round, lagMs: 0, account: (rounds += 1) % 2 === 0 ? account : other },
      }),
      answer: (url) => (isFailing && url === paths[0] ? came : usual(url)),
      take: () => (isRefused ? { kind: "refused", refusal, record: null } : { kind: "answer" }),
    })
    const settled = async (count: number) => {
      await some(logged, count)
      const before = rounds
      await until(() => (rounds > before + 4 ? true : undefined), "two rounds more of both")
    }
    await settled(1)
    came = answered(429, "")
    await settled(2)
    isFailing = false
    await settled(3)
    isRefused = true
    await settled(5)
    assert.deepEqual(shown(logged).slice(0, 3), [
      `account_poll_failed deadline ${paths[0]}`,
      `account_poll_failed status_429 ${paths[0]}`,
      `account_poll_works  ${account}`,
    ])
    assert.deepEqual(
      shown(logged).slice(3).sort(),
      [account, other].map((each) => `account_poll_failed invalid_request ${each}: `),
    )
  })

  it("isn't lost without a word where the vault is away when it is handed over", async (t) => {
    const take = () => {
      throw Object.assign(new Error("away"), { code: "link_closed" })
    }
    const { logged } = play(t, { take })
    await some(logged)
    assert.equal(logged[0]?.event, "account_poll_failed")
    assert.equal(logged[0].message, account)
  })
})
