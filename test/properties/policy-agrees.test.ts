import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { judge } from "../../src/vault/policy/judge.ts"
import type { Decision } from "../../src/vault/policy/terms.ts"
import type { Circumstances, JudgedRequest } from "../../src/vault/policy/match/judged-request.ts"
import type { Decimal } from "../../src/venue/decimal.ts"
import type { Order, OrderLeg, Payload } from "../../src/venue/payload/payload.ts"
import { operationIds } from "../../src/venue/profile.ts"
import { arbitraryPayload, arbitraryTypedOrder } from "../support/arbitrary-payload.ts"
import { arbitraryPolicies, arbitrarySmallDecimal } from "../support/arbitrary-policies.ts"
import { decimalText } from "../support/plain-judge/plain-amount.ts"
import { plainJudge, type PlainDecision } from "../support/plain-judge/plain-judge.ts"
import {
  addressOf,
  approving,
  circumstances,
  heldAgent,
  marketOrder,
  order,
  requestFor,
  signer,
} from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"
import { testProfile } from "../support/test-profile.ts"

const small = arbitrarySmallDecimal
const maybeSmall = fc.option(small, { nil: undefined })

/** Amounts that bounds can meet, in place of those of a leg. */
function withSmall(leg: OrderLeg | undefined, amount: Decimal): OrderLeg | undefined {
  return leg && { ...leg, triggerPrice: amount, orderPrice: leg.orderPrice && amount }
}

const inQuote = marketOrder({ marketOrderType: "quote" })

/** An ordinary order or a strange one, with amounts that bounds can meet. */
const arbitraryOrder: fc.Arbitrary<Order> = fc
  .tuple(
    fc.oneof(arbitraryTypedOrder, fc.constantFrom(order(), inQuote)),
    fc.record({
      clientOrderId: fc.constantFrom(undefined, "a", "aa", "A", "b", "c", "ca"),
      symbolId: fc.constantFrom(1, 1, 2, 3, 3, 4),
      isBuy: fc.boolean(),
      quantity: small,
      slippage: maybeSmall,
      stpMode: fc.constantFrom(undefined, "cancel_maker", "none"),
    }),
    fc.record({ price: small, trigger: small, takeProfit: small, stopLoss: small }),
  )
  .map(([drawn, changes, { price, trigger, takeProfit, stopLoss }]) => ({
    ...drawn,
    ...changes,
    price: drawn.price && price,
    conditional: drawn.conditional && { ...drawn.conditional, triggerPrice: trigger },
    tpsl: drawn.tpsl && {
      ...drawn.tpsl,
      takeProfit: withSmall(drawn.tpsl.takeProfit, takeProfit),
      stopLoss: withSmall(drawn.tpsl.stopLoss, stopLoss),
    },
  }))

const arbitraryOrders: fc.Arbitrary<Payload> = fc.record({
  kind: fc.constant("orders"),
  orders: fc.array(arbitraryOrder, { minLength: 1, maxLength: 3 }),
  form: fc.constantFrom("single", "batch"),
})

const arbitraryApproval = fc
  .record({
    agentAddress: fc.constantFrom(heldAgent, addressOf("b"), addressOf("c")),
    authorizedAddress: fc.constantFrom(signer, addressOf("c")),
    validDays: fc.constantFrom(1, 2, 90, 91, Number.NaN),
    label: fc.constantFrom("a", "ab", "AB", "b", "cab"),
  })
  .map((changes) => approving(changes).payload)

const anyOperation = fc.constantFrom(...operationIds)
type Ask = Pick<JudgedRequest, "operation" | "payload">

/** Mostly an operation with a payload of its own, so that more is judged than whether it can be read. */
const arbitraryAsk: fc.Arbitrary<Ask> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      operation: fc.constantFrom("placeOrder", "placeBatch", "modifyOrder", "chaseOrder"),
      payload: arbitraryOrders,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ operation: fc.constant("approveAgent"), payload: arbitraryApproval }),
  },
  { weight: 1, arbitrary: fc.record({ operation: anyOperation, payload: arbitraryOrders }) },
  { weight: 2, arbitrary: fc.record({ operation: anyOperation, payload: arbitraryPayload }) },
)

const arbitraryRequest: fc.Arbitrary<JudgedRequest> = fc
  .record({
    ask: arbitraryAsk,
    client: fc.constantFrom("bot", "bot", "other"),
    target: fc.constantFrom(undefined, addressOf("b"), addressOf("c")),
    body: fc.record(
      {
        amount: fc.constantFrom("5", "5.0", "4.99", 6, 5, "9", "10", 0, -1, 5.5, null, true, "05"),
        asset: fc.constantFrom("USD", "usd", "U", "EUR", 6, null),
        "to/from": fc.constantFrom([1, `0x${"aB".repeat(20)}`], ["x"], { 1: "x" }),
      },
      { requiredKeys: [] },
    ),
    expiresInMs: fc.constantFrom(1, 2, 3, Number.NaN),
  })
  .map(({ ask: { operation, payload }, ...changes }) =>
    requestFor(operation, { ...changes, payload }),
  )

/** When hours begin and end, and the millisecond before. */
const aroundHalfHours = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 20 }), fc.constantFrom(0, 1))
  .map(([halfHours, early]) => halfHours * 1_800_000 - early)

const arbitraryCircumstances: fc.Arbitrary<Circumstances> = fc
  .record({
    prices: fc.array(maybeSmall, { minLength: 3, maxLength: 3 }),
    nowMs: fc.oneof(
      { weight: 5, arbitrary: fc.integer({ min: 0, max: 2 ** 41 }) },
      { weight: 4, arbitrary: aroundHalfHours },
      { weight: 1, arbitrary: fc.constant(Number.NaN) },
    ),
    raises: fc.array(
      fc.record({ limit: fc.constantFrom("limit-0", "p0/limit-1", "other"), max: small }),
      { maxLength: 2 },
    ),
    defaultMarketOrderType: fc.constantFrom("base", "quote", undefined),
    tpslLegs: fc.constantFrom("independent", "oco_reduce_only"),
  })
  .map(({ prices, nowMs, raises, ...profile }) =>
    circumstances({
      nowMs,
      raises,
      referencePrice: (symbolId) => prices[symbolId - 1],
      profile: testProfile(profile),
    }),
  )

const asked = fc.array(fc.tuple(arbitraryRequest, arbitraryCircumstances), {
  minLength: 5,
  maxLength: 10,
})

describe("judging", () => {
  it("decides and says of every request what the plain judge does", () => {
    fc.assert(
      fc.property(arbitraryPolicies, asked, (policies, requests) => {
        for (const [request, given] of requests) {
          const decision = inWords(judge(request, policies, given))
          assert.deepEqual(decision, plainJudge(request, policies, given))
        }
      }),
      numRuns(500),
    )
  })
})

/** A decision with its amounts as people read them: `1.0` and `1` are the same one. */
function inWords(decision: Decision): PlainDecision {
  const verdicts = decision.verdicts()
  if (decision.kind === "refuse") return { ...decision, verdicts }
  const claims = decision.claims.map(({ amount, max, ...claim }) => ({
    ...claim,
    amount: decimalText(amount),
    max: decimalText(max),
  }))
  const sizes = decision.sizes.map(({ entry, legs, cost }) =>
    [entry, ...legs, cost].map((size) => size && decimalText(size)),
  )
  const hold = decision.kind === "hold" ? decision.hold : undefined
  return { ...decision, hold, claims, sizes, verdicts }
}
