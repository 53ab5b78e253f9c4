import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import { checkOrderFields, checkOrderRules } from "../../../../src/sandbox/order-rules.ts"
import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import { canonicalJson } from "../../../../src/sandbox/signing/typed-hash.ts"
import type { JsonObject } from "../../../../src/venue/json.ts"
import { parseOrder } from "../../../../src/venue/payload/parse-order.ts"
import { parseProfile } from "../../../../src/venue/profile/profile-file.ts"
import { canonicalJson as daemonCanonicalJson } from "../../../../src/venue/signing-hash.ts"
import { anyCharacter } from "../../../support/any-character.ts"
import { numRuns } from "../../../support/runs.ts"
import { nowMs } from "../signed-bodies.ts"

// Two readings of one text, written apart. The daemon's is the stricter: what it lets through, a venue
// that keeps to the interface must take.
describe("the sandbox and the daemon", () => {
  it("agree on every order that the daemon accepts", () => {
    const { symbols } = profile()
    let acceptedCount = 0
    fc.assert(
      fc.property(orders, (order) => {
        if (!parseOrder(order, { path: "", alsoAllowed: [] }, symbols).ok) return
        acceptedCount += 1
        assert.equal((checkOrderFields(order) ?? checkOrderRules(order))?.msg, undefined)
      }),
      numRuns(3_000),
    )
    assert.ok(acceptedCount > 0, "no order was accepted, so nothing was compared")
  })

  it("write the same canonical JSON", () => {
    const { canonicalForm } = profile()
    const json = fc.dictionary(fc.string({ unit: anyCharacter }), fc.jsonValue({ maxDepth: 4 }))
    fc.assert(
      fc.property(json, (body) => {
        assert.equal(canonicalJson(body), daemonCanonicalJson(body as JsonObject, canonicalForm))
      }),
      numRuns(300),
    )
  })
})

const price = fc.constantFrom("1", "64000.5", "0")
const triggerBy = fc.constantFrom("last_price", "mark_price", "oracle_price")
const orderType = fc.constantFrom("limit", "market")

const conditional = fc.record({ trigger_price: price, trigger_by: triggerBy })
const tpsl = fc.record(
  {
    tpsl_mode: fc.constantFrom("full", "partial"),
    tp_trigger_price: price,
    tp_trigger_by: triggerBy,
    tp_order_type: orderType,
    tp_order_price: price,
    sl_trigger_price: price,
  },
  { requiredKeys: ["tpsl_mode"] },
)
const algoFields = fc.oneof(
  { arbitrary: fc.constant({}), weight: 3 },
  { arbitrary: fc.record({ algo_order_type: fc.constant("conditional"), conditional }), weight: 1 },
  {
    arbitrary: fc.record({ algo_order_type: fc.constantFrom("tpsl", "attached_tpsl"), tpsl }),
    weight: 1,
  },
  { arbitrary: fc.record({ conditional, tpsl }, { requiredKeys: [] }), weight: 1 },
)
const plainFields = fc.record(
  {
    symbol_id: fc.constantFrom(1, 3),
    is_buy: fc.boolean(),
    quantity: fc.constantFrom("1", "0.5"),
    order_type: orderType,
    time_in_force: sometimes(fc.constantFrom("gtc", "ioc")),
    price: price,
    slippage: sometimes(fc.constantFrom("0.0001", "0.1", "0.11")),
    position_side: sometimes(fc.constantFrom("both", "long")),
    margin_mode: sometimes(fc.constantFrom("cross")),
    market_order_type: sometimes(fc.constantFrom("base", "quote")),
    price_match: sometimes(fc.constantFrom("queue_1")),
    flags: sometimes(fc.subarray(["post_only", "reduce_only"])),
  },
  { requiredKeys: ["symbol_id", "is_buy", "quantity"] },
)
const orders: fc.Arbitrary<JsonObject> = fc
  .tuple(plainFields, algoFields)
  .map(([plain, algo]) => withoutUndefined({ ...plain, ...algo }))

/** Present in one case of eight at most, so that most orders have few fields and many are accepted. */
function sometimes<Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 7 },
    { arbitrary: values, weight: 1 },
  )
}

function withoutUndefined(order: Readonly<Record<string, unknown>>): JsonObject {
  const members = Object.entries(order).filter(([, value]) => value !== undefined)
  return Object.fromEntries(members) as JsonObject // made of strings, booleans, integers and objects of such
}

function profile() {
  const text = sandboxProfile({ url: sandboxUrl, asOf: new Date(nowMs) })
  const read = parseProfile(text, "venue.yaml")
  assert.ok(read.ok)
  return read.value
}
