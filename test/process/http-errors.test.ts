import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { limitOrder } from "../support/bot.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { askHttp, assertRefused, type HttpAsk, type HttpReply } from "../support/gate.ts"

const symbols = `symbols:
  - {id: 1, name: BTC-PERP, market: perp, quote: USD}
`
const orders = "/v1/trade/orders"
const maxBytes = 65_536

describe("over HTTP the daemon refuses", { timeout: 120_000 }, () => {
  let daemon: BotDaemon
  before(async () => {
    daemon = await startBotDaemon(["--venue", "main"], symbols)
    await assertSigns()
  })
  after(() => daemon.remove())

  async function assertSigns(headers: HttpAsk["headers"] = {}): Promise<void> {
    const { status, text } = await daemon.post(`/sign${orders}`, limitOrder(), headers)
    assert.equal(status, 200, text)
  }

  const ask = (headers: HttpAsk["headers"], changes: Partial<HttpAsk> = {}): Promise<HttpReply> =>
    askHttp(daemon.port, {
      ...{ method: "POST", path: `/sign${orders}`, headers: headers ?? {} },
      body: JSON.stringify(limitOrder()),
      ...changes,
    })

  describe("who has no right token:", () => {
    const json = { "content-type": "application/json" }
    for (const [what, headers, sentence] of [
      ["no token", {}, /^Send your token as/],
      [
        "a token of another shape",
        { authorization: "Bearer secret" },
        /^Authorization holds no token/,
      ],
      [
        "another scheme",
        { authorization: `Basic cs_${"A".repeat(43)}` },
        /^Authorization holds no token/,
      ],
      [
        "nobody's token",
        { authorization: `Bearer cs_${"A".repeat(43)}` },
        /^No client has this token/,
      ],
    ] as const) {
      it(what, async () => {
        const reply = await ask({ ...json, ...headers })
        assertRefused(reply, 401, "unauthorized")
        assert.match(reply.envelope.msg, sentence)
        assert.equal(reply.headers["www-authenticate"], "Bearer")
        assert.equal(reply.headers["countersign-record"], undefined)
      })
    }

    it("two tokens", async () => {
      const good = `Bearer ${daemon.token}`
      assertRefused(await ask({ ...json, authorization: [good, good] }), 401, "unauthorized")
    })
  })

  describe("what isn't served:", () => {
    for (const path of ["/sign/v1/trade/order", "/sign/v1/trade/orders/", "/v1/TRADE/orders"]) {
      it(`POST ${path}`, async () => {
        const reply = await daemon.post(path, limitOrder())
        // The main venue has no base_url here, which is told before the path is looked at.
        if (path.startsWith("/sign")) assertRefused(reply, 404, "unknown_endpoint")
        else assertRefused(reply, 501, "base_url_missing")
      })
    }

    for (const path of ["/", "/sign", "/sign/v2/trade/orders", "/v2/trade/orders", "/metric"]) {
      it(`POST ${path}`, async () => {
        assertRefused(await daemon.post(path, limitOrder()), 404, "unknown_endpoint")
      })
    }

    for (const [method, path, allow] of [
      ["PUT", orders, "POST, GET"],
      ["GET", `/sign${orders}`, "POST"],
      ["PUT", `/sign${orders}`, "POST"],
      ["DELETE", `/check${orders}`, "POST"],
      ["OPTIONS", `/sign${orders}`, "POST"],
      ["POST", "/whoami", "GET"],
      ["POST", "/records/rec_1", "GET"],
      ["POST", "/healthz", "GET"],
      ["POST", "/metrics", "GET"],
      ["POST", "/openapi.json", "GET"],
    ] as const) {
      it(`${method} ${path}`, async () => {
        const headers = { authorization: `Bearer ${daemon.token}` }
        const reply = await askHttp(daemon.port, { method, path, headers })
        assertRefused(reply, 405, "method_not_allowed")
        assert.equal(reply.headers["allow"], allow)
      })
    }
  })

  describe("what the interface doesn't disclose, with the line to add:", () => {
    for (const [path, code, line] of [
      [
        "/v1/trade/orders/cancel",
        "action_tag_undisclosed",
        "endpoints: {cancelOrder: {action_tag: <0-255>}}",
      ],
      [
        "/v1/trade/orders/batch",
        "action_tag_undisclosed",
        'endpoints: {placeBatch: {action_tag: <0-255>, items: "/…", item_like: placeOrder}}',
      ],
      [
        "/v1/account/withdraw",
        "signing_type_undisclosed",
        'endpoints: {withdraw: {signing: B, struct: "…"}}',
      ],
    ] as const) {
      it(path, async () => {
        const reply = await daemon.post(`/sign${path}`, {})
        assertRefused(reply, 501, code)
        assert.equal(reply.envelope.data["add_line"], line)
        assert.ok(
          reply.envelope.msg.endsWith(
            `add to venue.yaml, from the venue's own documentation: ${line}`,
          ),
        )
      })
    }

    it("target_address", async () => {
      const target = { target_address: daemon.keys.agent.address }
      const reply = await daemon.post(`/sign${orders}`, limitOrder(target))
      assertRefused(reply, 501, "target_layout_undisclosed")
      assert.match(String(reply.envelope.data["add_line"]), /^agent_message_with_target: "Agent\(/)
    })

    it("base_url, without which /sign works and /v1 doesn't", async () => {
      const reply = await daemon.post(orders, limitOrder())
      assertRefused(reply, 501, "base_url_missing")
      assert.deepEqual(reply.envelope.data, { add_line: "base_url: https://…" })
    })
  })

  describe("a request of another form:", () => {
    it("a body of one byte more than 64 KiB, and none of 64 KiB", async () => {
      const text = JSON.stringify(limitOrder())
      const longest = text + " ".repeat(maxBytes - text.length)
      assert.equal((await daemon.post(`/check${orders}`, longest)).status, 200)
      assertRefused(await daemon.post(`/check${orders}`, `${longest} `), 413, "body_too_large")
      const chunked = { "transfer-encoding": "chunked" }
      assert.equal((await daemon.post(`/check${orders}`, longest, chunked)).status, 200)
      const refused = await daemon.post(`/check${orders}`, `${longest} `, chunked)
      assertRefused(refused, 413, "body_too_large")
    })

    for (const [status, code, headers] of [
      [415, "unsupported_media_type", { "content-type": "text/plain" }],
      [415, "unsupported_media_type", { "content-type": "application/x-www-form-urlencoded" }],
      [415, "unsupported_media_type", { "content-type": "application/json; charset=utf-16" }],
      [415, "unsupported_media_type", { "content-encoding": "gzip" }],
      [421, "misdirected_host", { host: "venue.example" }],
      [421, "misdirected_host", { host: "127.0.0.1" }],
      [403, "origin_refused", { origin: "https://venue.example" }],
      [403, "origin_refused", { origin: "null" }],
      [403, "origin_refused", { "sec-fetch-site": "cross-site" }],
      [400, "invalid_header", { "idempotency-key": "two words" }],
      [400, "invalid_header", { "countersign-shadow": "1" }],
      [400, "invalid_header", { "countersign-wait": "5000" }],
      [400, "invalid_header", { "countersign-expires-in": "0" }],
      [400, "invalid_header", { "countersign-expires-in": "1.5" }],
      [400, "invalid_header", { "countersign-expires-in": "15001" }],
    ] as const) {
      it(`${status} for ${JSON.stringify(headers)}`, async () => {
        const sent = { ...headers } as HttpAsk["headers"]
        assertRefused(await daemon.post(`/sign${orders}`, limitOrder(), sent), status, code)
      })
    }

    it("no content type", async () => {
      const reply = await ask({ authorization: `Bearer ${daemon.token}` })
      assertRefused(reply, 415, "unsupported_media_type")
    })

    it("a query string", async () => {
      const reply = await daemon.post(`/sign${orders}?dry=1`, limitOrder())
      assertRefused(reply, 400, "invalid_header")
    })

    it("but not its own names and types in other words", async () => {
      await assertSigns({ host: `LOCALHOST:${daemon.port}`, origin: daemon.url })
      await assertSigns({ "content-type": "Application/JSON; charset=UTF-8" })
      await assertSigns({ "countersign-expires-in": "15000" })
    })
  })

  it("a guesser with 429 after some tries, and no client beside it", async () => {
    const guess = {
      "content-type": "application/json",
      authorization: `Bearer cs_${"B".repeat(43)}`,
    }
    const replies = []
    for (let tries = 0; tries < 40; tries++) replies.push(await ask(guess))
    const last = replies.at(-1)!
    assertRefused(last, 429, "too_many_bad_tokens")
    assert.match(String(last.headers["retry-after"]), /^[1-9]\d*$/)
    await assertSigns()
  })

  it("and takes no nonce for any of it", async () => {
    const requests = (await daemon.stop()).filter(({ kind }) => kind === "request")
    assert.equal(requests.length, 5, "those that were signed in between")
  })
})
