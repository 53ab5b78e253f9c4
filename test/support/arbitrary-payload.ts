import fc from "fast-check"

import type { Decimal } from "../../src/venue/decimal.ts"
import type { Order, OrderLeg, Payload } from "../../src/venue/payload/payload.ts"
import { addressOf, heldAgent, signer } from "./policy-case.ts"

/** Any decimal that the strict reader can make of a few digits. */
export const arbitraryDecimal: fc.Arbitrary<Decimal> = fc.record({
  coefficient: fc.bigInt({ min: 0n, max: 10n ** 9n }),
  scale: fc.integer({ min: 0, max: 9 }),
})

function maybe<Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.option(arbitrary, { nil: undefined })
}

const triggerBy = fc.constantFrom("last_price", "mark_price", "oracle_price")
const orderType = fc.constantFrom("limit", "market")

const arbitraryLeg: fc.Arbitrary<OrderLeg> = fc.record({
  triggerPrice: arbitraryDecimal,
  triggerBy: maybe(triggerBy),
  orderType: maybe(orderType),
  orderPrice: maybe(arbitraryDecimal),
})

/** Any order that the type admits, also those that the venue's rules forbid: the judge leans on none of them. */
export const arbitraryTypedOrder: fc.Arbitrary<Order> = fc.record({
  path: fc.constantFrom("", "/orders/0", "/orders/1"),
  clientOrderId: fc.constant(undefined),
  symbolId: fc.integer({ min: -1, max: 5 }),
  isBuy: fc.boolean(),
  orderType: maybe(orderType),
  timeInForce: maybe(fc.constantFrom("gtc", "fok", "ioc")),
  quantity: arbitraryDecimal,
  price: maybe(arbitraryDecimal),
  slippage: maybe(arbitraryDecimal),
  positionSide: maybe(fc.constantFrom("both", "long", "short")),
  marginMode: maybe(fc.constantFrom("cross", "isolated")),
  marketOrderType: maybe(fc.constantFrom("base", "quote")),
  stpMode: fc.constant(undefined),
  priceMatch: maybe(fc.constantFrom("queue_1", "counter_party_5")),
  algoOrderType: maybe(fc.constantFrom("conditional", "tpsl", "attached_tpsl")),
  conditional: maybe(fc.record({ triggerPrice: arbitraryDecimal, triggerBy })),
  tpsl: maybe(
    fc.record({
      mode: fc.constantFrom("full", "partial"),
      takeProfit: maybe(arbitraryLeg),
      stopLoss: maybe(arbitraryLeg),
    }),
  ),
  flags: fc.uniqueArray(fc.constantFrom("post_only", "reduce_only")),
})

const addresses = fc.constantFrom(heldAgent, signer, addressOf("b"), addressOf("c"))

/** Any payload that the type admits. */
export const arbitraryPayload: fc.Arbitrary<Payload> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("orders"),
      orders: fc.array(arbitraryTypedOrder, { maxLength: 4 }),
      form: fc.constantFrom("single", "batch"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("approve_agent"),
      approval: fc.record({
        serviceChain: fc.string(),
        signatureChainId: fc.integer(),
        agentAddress: addresses,
        authorizedAddress: addresses,
        validDays: fc.oneof(fc.integer(), fc.double()),
        label: fc.string(),
      }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "struct" }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("opaque"), batchLength: fc.nat() }) },
)
