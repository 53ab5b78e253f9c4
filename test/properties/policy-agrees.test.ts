import assert from "node:assert/strict"
import { describe, it } from "node:test"

import fc from "fast-check"

import type { Circumstances, JudgedRequest } from "../../src/vault/policy/decision.ts"
import { judge } from "../../src/vault/policy/judge.ts"
import type { Order } from "../../src/venue/payload.ts"
import { operationIds } from "../../src/venue/profile.ts"
import { arbitraryPayload, arbitraryTypedOrder } from "../support/arbitrary-payload.ts"
import { arbitraryPolicies, arbitrarySmallDecimal } from "../support/arbitrary-policies.ts"
import { plainJudge } from "../support/plain-judge/plain-judge.ts"
import { addressOf, circumstances, order, requestFor } from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"
import { testProfile } from "../support/test-profile.ts"

const small = arbitrarySmallDecimal
const maybeSmall = fc.option(small, { nil: undefined })

/** An ordinary order or a strange one, with amounts that bounds can meet. */
const arbitraryOrder: fc.Arbitrary<Order> = fc
  .tuple(
    fc.oneof(arbitraryTypedOrder, fc.constant(order())),
    fc.record({
      clientOrderId: fc.constantFrom(undefined, "a", "aa", "b", "c"),
      symbolId: fc.constantFrom(1, 1, 2, 3, 4),
      isBuy: fc.boolean(),
      quantity: small,
      slippage: maybeSmall,
      stpMode: fc.constantFrom(undefined, "cancel_maker", "none"),
    }),
    fc.record({ price: small, trigger: small }),
  )
  .map(([drawn, changes, { price, trigger }]) => ({
    ...drawn,
    ...changes,
    price: drawn.price && price,
    conditional: drawn.conditional && { ...drawn.conditional, triggerPrice: trigger },
  }))

const arbitraryRequest: fc.Arbitrary<JudgedRequest> = fc
  .record({
    operation: fc.oneof(
      fc.constantFrom("placeOrder", "placeBatch"),
      fc.constantFrom(...operationIds),
    ),
    payload: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constant("orders"),
          orders: fc.array(arbitraryOrder, { minLength: 1, maxLength: 3 }),
          form: fc.constantFrom("single", "batch"),
        }),
      },
      { weight: 1, arbitrary: arbitraryPayload },
    ),
    client: fc.constantFrom("bot", "bot", "other"),
    target: fc.constantFrom(undefined, addressOf("2"), addressOf("3")),
    body: fc.constantFrom({}, { amount: "5" }, { amount: 6 }, { amount: null }),
    expiresInMs: fc.constantFrom(1, 2, 3, Number.NaN),
  })
  .map(({ operation, ...changes }) => requestFor(operation, changes as Partial<JudgedRequest>))

const arbitraryCircumstances: fc.Arbitrary<Circumstances> = fc
  .record({
    prices: fc.array(maybeSmall, { minLength: 3, maxLength: 3 }),
    nowMs: fc.oneof(fc.integer({ min: 0, max: 2 ** 41 }), fc.constant(Number.NaN)),
    defaultMarketOrderType: fc.constantFrom("base", "quote", undefined),
    tpslLegs: fc.constantFrom("independent", "oco_reduce_only"),
  })
  .map(({ prices, nowMs, ...profile }) =>
    circumstances({
      nowMs,
      referencePrice: (symbolId) => prices[symbolId - 1],
      profile: testProfile(profile),
    }),
  )

const asked = fc.array(fc.tuple(arbitraryRequest, arbitraryCircumstances), {
  minLength: 5,
  maxLength: 10,
})

describe("judging check by check", () => {
  it("decides and says of every request what trying rule after rule does", () => {
    fc.assert(
      fc.property(arbitraryPolicies, asked, (policies, requests) => {
        for (const [request, given] of requests) {
          const decision = judge(request, policies, given)
          const plain = plainJudge(request, policies, given)
          assert.deepEqual(
            { ...decision, verdicts: decision.verdicts() },
            { ...plain, verdicts: plain.verdicts() },
          )
        }
      }),
      numRuns(400),
    )
  })
})
