import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { limitOrder } from "../support/bot.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { assertRefused, type HttpReply } from "../support/gate.ts"

const symbols = `symbols:
  - {id: 1, name: BTC-PERP, market: perp, quote: USD}
  - {id: 3, name: BTC-USD, market: spot, quote: USD}
`
const path = "/sign/v1/trade/orders"
const signature = { r: "0x", s: "0x", v: 27 }
const market = { order_type: "market", price: undefined }
const trigger = { trigger_price: "60000", trigger_by: "last_price" }
const untriggered = { tpsl_mode: "partial", tp_order_type: "market" }
const tpsl = { tpsl_mode: "partial", sl_trigger_price: "60000" }

/** What is wrong with an order: the rule it breaks, where, and what it has that a good one hasn't. */
const brokenOrders: readonly (readonly [string, string, Readonly<Record<string, unknown>>])[] = [
  ["required", "/symbol_id", { symbol_id: undefined }],
  ["required", "/is_buy", { is_buy: undefined }],
  ["required", "/quantity", { quantity: undefined }],
  ["unknown_field", "/leverage", { leverage: 20 }],
  ["wrong_type", "/price", { price: 63000 }],
  ["wrong_type", "/symbol_id", { symbol_id: "1" }],
  ["wrong_type", "/is_buy", { is_buy: "true" }],
  ["wrong_type", "/quantity", { quantity: null }],
  ["value_not_allowed", "/order_type", { order_type: "LIMIT" }],
  ["value_not_allowed", "/flags/0", { flags: ["hidden"] }],
  ["duplicate_value", "/flags/1", { flags: ["post_only", "post_only"] }],
  ["empty", "/client_order_id", { client_order_id: "" }],
  ["too_long", "/client_order_id", { client_order_id: "x".repeat(37) }],
  ["not_decimal", "/price", { price: "6.3e4" }],
  ["not_decimal", "/quantity", { quantity: "-0.1" }],
  ["not_above_zero", "/quantity", { quantity: "0.0" }],
  ["out_of_range", "/slippage", { ...market, slippage: "0.10001" }],
  ["order_type_required", "/order_type", { order_type: undefined }],
  ["post_only_needs_limit", "/order_type", { ...market, flags: ["post_only"] }],
  ["post_only_needs_gtc", "/time_in_force", { flags: ["post_only"], time_in_force: "ioc" }],
  [
    "post_only_needs_price",
    "/price",
    { flags: ["post_only"], price: undefined, price_match: "queue_1" },
  ],
  ["post_only_with_price_match", "/price_match", { flags: ["post_only"], price_match: "queue_1" }],
  ["reduce_only_with_tpsl", "/tpsl", { flags: ["reduce_only"], tpsl: null }],
  ["market_with_price", "/price", { order_type: "market" }],
  ["limit_needs_one_price", "/price", { price: undefined }],
  ["limit_needs_one_price", "/price", { price_match: "queue_1" }],
  ["tpsl_needs_leg", "/tpsl", { algo_order_type: "tpsl", tpsl: { tpsl_mode: "full" } }],
  ["conditional_needs_algo_order_type", "/conditional", { conditional: trigger }],
  ["algo_order_type_needs_conditional", "/conditional", { algo_order_type: "conditional" }],
  ["tpsl_needs_algo_order_type", "/tpsl", { tpsl }],
  ["algo_order_type_needs_tpsl", "/tpsl", { algo_order_type: "attached_tpsl" }],
  ["market_with_time_in_force", "/time_in_force", { ...market, time_in_force: "gtc" }],
  ["market_with_price_match", "/price_match", { ...market, price_match: "queue_1" }],
  ["slippage_needs_market", "/slippage", { slippage: "0.01" }],
  ["market_order_type_needs_market", "/market_order_type", { market_order_type: "base" }],
  [
    "leg_needs_trigger_price",
    "/tpsl/tp_trigger_price",
    { algo_order_type: "tpsl", tpsl: untriggered },
  ],
  [
    "leg_needs_order_price",
    "/tpsl/sl_order_price",
    { algo_order_type: "tpsl", tpsl: { ...tpsl, sl_order_type: "limit" } },
  ],
  ["spot_with_position_side", "/position_side", { symbol_id: 3, position_side: "long" }],
  ["spot_with_margin_mode", "/margin_mode", { symbol_id: 3, margin_mode: "cross" }],
  ["perpetual_needs_base", "/market_order_type", { ...market, market_order_type: "quote" }],
  ["signing_field_supplied", "/nonce", { nonce: 1 }],
  ["signing_field_supplied", "/expires_after", { expires_after: 1 }],
  ["signing_field_supplied", "/signature", { signature }],
  ["address", "/signer_address", { signer_address: "0x1" }],
  ["address", "/target_address", { target_address: null }],
]

/** Bodies that some JSON reader takes, or that readers take in different ways. */
const brokenJson: readonly (readonly [string, string | Buffer])[] = [
  ["nothing", ""],
  ["white space", " \n"],
  ["half an object", '{"symbol_id":1'],
  ["two values", "{}{}"],
  ["a key twice", '{"quantity":"0.1","quantity":"1000"}'],
  ["a key twice by an escape", '{"quantity":"0.1","quantit\\u0079":"1000"}'],
  ["a key in two cases", '{"quantity":"0.1","Quantity":"1000"}'],
  ["__proto__", '{"__proto__":{"quantity":"0.1"}}'],
  ["constructor in an object within", '{"tpsl":{"constructor":1}}'],
  ["a number with an exponent", '{"symbol_id":1e0}'],
  ["a number with a fraction", '{"symbol_id":1.0}'],
  ["minus zero", '{"symbol_id":-0}'],
  ["a number that doubles round", '{"symbol_id":9007199254740993}'],
  ["a leading zero", '{"symbol_id":01}'],
  ["NaN", '{"symbol_id":NaN}'],
  ["a comment", '{/* */"symbol_id":1}'],
  ["a comma at the end", '{"symbol_id":1,}'],
  ["single quotes", "{'symbol_id':1}"],
  ["a lone surrogate", '{"client_order_id":"\\ud800"}'],
  ["a control character", '{"client_order_id":"\u0001"}'],
  ["a byte order mark", '\ufeff{"symbol_id":1}'],
  ["bytes that aren't UTF-8", Buffer.from('{"client_order_id":"\xff"}', "latin1")],
  ["an overlong encoding", Buffer.from('{"client_order_id":"\xc0\xaf"}', "latin1")],
  ["UTF-16", Buffer.from('{"symbol_id":1}', "utf16le")],
  ["17 levels", `${"[".repeat(17)}${"]".repeat(17)}`],
  ["10,000 levels", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
]

describe("over HTTP the daemon refuses bodies", { timeout: 120_000 }, () => {
  let daemon: BotDaemon
  const messages = new Map<string, string>()
  before(async () => {
    daemon = await startBotDaemon(["--venue", "main"], symbols)
  })
  after(() => daemon.remove())

  /** The refusal is on record, for its client alone to see, with nothing signed. */
  async function assertRecorded(reply: HttpReply): Promise<void> {
    const id = String(reply.headers["countersign-record"])
    assert.equal((JSON.parse(reply.text) as { trace_code: string }).trace_code, id)
    const { data } = (await daemon.bot.get(`/records/${id}`)).json
    const { state, nonce, refusal, outcome } = data
    assert.deepEqual([state, nonce, outcome], ["refused_here", null, null])
    const { code, msg: message, data: evidence } = reply.envelope
    assert.deepEqual(refusal, { code, message, data: evidence })
  }

  describe("that aren't strict JSON:", () => {
    for (const [what, body] of brokenJson) {
      it(what, async () => {
        const reply = await daemon.post(path, body)
        assertRefused(reply, 400, "invalid_json")
        const { offset } = reply.envelope.data
        assert.match(reply.envelope.msg, new RegExp(` \\(at byte ${String(offset)}\\)$`))
        await assertRecorded(reply)
      })
    }
  })

  for (const body of ["[]", '"x"', "1", "null", "true"]) {
    it(`that are no object: ${body}`, async () => {
      const reply = await daemon.post(path, body)
      assertRefused(reply, 400, "invalid_request")
      const message = "the body must be a JSON object"
      assert.deepEqual(reply.envelope.data, { errors: [{ path: "", rule: "object", message }] })
    })
  }

  describe("that break a rule:", () => {
    for (const [rule, pointer, changes] of brokenOrders) {
      it(`${rule} at ${pointer}, with ${JSON.stringify(changes)}`, async () => {
        const reply = await daemon.post(path, limitOrder(changes))
        assertRefused(reply, 400, "invalid_request")
        const errors = reply.envelope.data["errors"] as {
          path: string
          rule: string
          message: string
        }[]
        const error = errors.find((each) => each.rule === rule && each.path === pointer)
        assert.ok(error !== undefined, reply.text)
        assert.ok(reply.envelope.msg.startsWith(`${errors[0]!.path}: ${errors[0]!.message}`))
        messages.set(`${rule} ${pointer}`, error.message)
        await assertRecorded(reply)
      })
    }

    it("each rule with a sentence of its own", () => {
      const rulesOf = Map.groupBy(messages, ([, message]) => message)
      for (const [message, entries] of rulesOf) {
        const rules = new Set(entries.map(([at]) => at.split(" ")[0]))
        assert.equal(rules.size, 1, `${message}: ${[...rules].join(", ")}`)
      }
    })
  })

  it("with all that is wrong with them at once", async () => {
    const reply = await daemon.post(path, limitOrder({ price: undefined, quantity: "1e3", x: 1 }))
    const errors = reply.envelope.data["errors"] as { path: string }[]
    assert.deepEqual(errors.map((error) => error.path).sort(), ["/price", "/quantity", "/x"])
    assert.match(reply.envelope.msg, / \(and 2 more in data\.errors\)$/)
  })

  it("and takes no nonce for any of them", async () => {
    const entries = await daemon.stop()
    assert.deepEqual(
      entries.filter(({ kind }) => kind === "request"),
      [],
    )
  })
})
