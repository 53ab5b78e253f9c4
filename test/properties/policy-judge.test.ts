import assert from "node:assert/strict"
import { describe, it } from "node:test"
import fc from "fast-check"

import { judge } from "../../src/vault/policy/judge.ts"
import { type Decision, denialReasons, type Policy } from "../../src/vault/policy/terms.ts"
import type { JudgedRequest } from "../../src/vault/policy/match/judged-request.ts"
import { operationIds } from "../../src/venue/profile.ts"
import { arbitraryDecimal, arbitraryPayload } from "../support/arbitrary-payload.ts"
import { circumstances, policiesOf, requestFor } from "../support/policy-case.ts"
import { numRuns } from "../support/runs.ts"
import { testProfile } from "../support/test-profile.ts"

const matchers = [
  "endpoints: [placeOrder, placeBatch, chaseOrder, cancelOrder]",
  "endpoints: [approveAgent, transfer]",
  "symbols: [BTC-PERP, ETH-PERP]",
  "symbols: ['5', BTC-USD]",
  "sides: [buy]",
  "sides: [buy, sell]",
  "order_types: [limit]",
  "order_types: [limit, market]",
  "time_in_force: [gtc]",
  "require_flags: [post_only]",
  "forbid_flags: [reduce_only]",
  "position_sides: [both, long]",
  "margin_modes: [cross]",
  "stp_modes: [cancel_maker]",
  "algo_order_types: [none, conditional]",
  "client_order_id: 'a+'",
]
/** These speak of every operation, so that a rule needs another key beside them. */
const requestMatchers = [
  "hours: {zone: Europe/Berlin, from: '08:00'}",
  "where: [{pointer: /amount, max: '5'}]",
  "target_addresses: ['0x1111111111111111111111111111111111111111']",
]
const bounds = [
  "max_quantity: '1000000'",
  "max_quantity: {BTC-PERP: '1000', default: '1'}",
  "max_notional: '100000000'",
  "max_notional: {BTC-PERP: '1000000', BTC-USD: '10'}",
  "min_quantity: '0.001'",
  "price_band: 50%",
  "max_slippage: '0.5'",
  "max_expires_in: 1m",
  "price_match_band: 1%",
  "allow_full_tpsl: true",
  "max_valid_days: 365",
]

/** Some of the lines, each key once. */
function someOf(lines: readonly string[]): fc.Arbitrary<string[]> {
  return fc.uniqueArray(fc.constantFrom(...lines), {
    maxLength: 4,
    selector: (line) => line.slice(0, line.indexOf(":")),
  })
}

const ruleLines = fc
  .tuple(fc.constantFrom(...matchers), someOf([...matchers, ...requestMatchers]), someOf(bounds))
  .map(([first, others, bounded]) => {
    const key = first.slice(0, first.indexOf(":"))
    return [first, ...others.filter((line) => !line.startsWith(`${key}:`)), ...bounded]
  })

function entriesText(kind: string, entries: readonly (readonly string[])[]): string {
  if (entries.length === 0) return ""
  const texts = entries.map((lines, index) =>
    [`  - name: ${kind}-${index}`, ...lines.map((line) => `    ${line}`)].join("\n"),
  )
  return `${kind}:\n${texts.join("\n")}\n`
}

const arbitraryPolicies: fc.Arbitrary<readonly Policy[]> = fc
  .array(
    fc.record({
      rules: fc.array(ruleLines, { maxLength: 4 }),
      deny: fc.array(someOf([...matchers, ...requestMatchers]), { maxLength: 2 }),
      appliesTo: fc.constantFrom("", "applies_to: {clients: [bot]}", "applies_to: {keys: [other]}"),
    }),
    { maxLength: 3 },
  )
  .map((files) =>
    policiesOf(
      ...files.map(({ rules, deny, appliesTo }, index) =>
        [
          `policy: p${index}`,
          appliesTo,
          entriesText("rules", rules),
          entriesText("deny", deny),
        ].join("\n"),
      ),
    ),
  )

const arbitraryRequest: fc.Arbitrary<JudgedRequest> = fc
  .record({ operation: fc.constantFrom(...operationIds), payload: arbitraryPayload })
  .map(({ operation, payload }) => requestFor(operation, { payload }))

const arbitraryCircumstances = fc
  .record({
    price: fc.option(arbitraryDecimal, { nil: undefined }),
    defaultMarketOrderType: fc.constantFrom("base", "quote", undefined),
  })
  .map(({ price, defaultMarketOrderType }) =>
    circumstances({
      referencePrice: () => price,
      profile: testProfile({ defaultMarketOrderType }),
    }),
  )

/** To read policies takes longer than to judge by them, so each are asked several requests. */
const asked = fc.array(fc.tuple(arbitraryRequest, arbitraryCircumstances), {
  minLength: 5,
  maxLength: 5,
})

describe("judge, whatever the request and the policies", () => {
  it("answers and doesn't throw, and a refusal has a listed reason", () => {
    fc.assert(
      fc.property(arbitraryPolicies, asked, (policies, requests) => {
        for (const [request, given] of requests) {
          const decision = judge(request, policies, given)
          if (decision.kind === "refuse") {
            assert.ok(denialReasons.includes(decision.denial.reason))
          }
          assertVerdictsAgree(decision)
        }
      }),
      numRuns(100),
    )
  })

  it("decides the same for every order of policies, rules and denies", () => {
    fc.assert(
      fc.property(
        arbitraryPolicies,
        asked,
        fc.infiniteStream(fc.nat()),
        (policies, requests, dice) => {
          for (const [request, given] of requests) {
            const shuffled = shuffle(policies, dice).map((policy) => ({
              ...policy,
              rules: shuffle(policy.rules, dice),
              deny: shuffle(policy.deny, dice),
            }))
            const kind = judge(request, policies, given).kind
            assert.equal(judge(request, shuffled, given).kind, kind)
          }
        },
      ),
      numRuns(100),
    )
  })

  it("allows nothing more with a deny added, and refuses nothing more with a rule added", () => {
    fc.assert(
      fc.property(arbitraryPolicies, arbitraryPolicies, asked, (policies, more, requests) => {
        for (const [request, given] of requests) {
          const kindWith = (added: readonly Policy[]) =>
            judge(request, [...policies, ...added], given).kind
          const kind = kindWith([])
          if (kind === "refuse") {
            assert.equal(kindWith(more.map((policy) => ({ ...policy, rules: [] }))), "refuse")
          } else {
            assert.equal(kindWith(more.map((policy) => ({ ...policy, deny: [] }))), "allow")
          }
        }
      }),
      numRuns(100),
    )
  })

  it("lets no rule with a cap allow an order it can't size", () => {
    const [policy] = policiesOf(
      "policy: p\nrules:\n  - {name: capped, max_notional: '1000000000000000000000000000000'}\n",
    )
    assert.ok(policy)
    fc.assert(
      fc.property(arbitraryRequest, arbitraryCircumstances, (request, given) => {
        if (judge(request, [policy], given).kind === "refuse") return
        assert.equal(request.payload.kind, "orders")
        assert.ok(request.payload.orders.length > 0)
        assert.notEqual(request.operation, "chaseOrder")
        for (const { symbolId } of request.payload.orders) {
          assert.ok(given.profile.symbols.byId.has(symbolId))
          assert.ok(given.referencePrice(symbolId))
        }
      }),
      numRuns(300),
    )
  })
})

/** The decision follows from the verdicts: no deny matches and some rule allows. */
function assertVerdictsAgree({ kind, verdicts }: Decision): void {
  const said = new Set(verdicts().map(({ verdict }) => verdict))
  assert.equal(kind === "allow", said.has("allows") && !said.has("denies"))
}

function shuffle<Item>(items: readonly Item[], dice: fc.Stream<number>): readonly Item[] {
  return items
    .map((item) => ({ item, rank: Number(dice.next().value) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
