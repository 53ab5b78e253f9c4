import fc from "fast-check"

import type {
  Deny,
  Entry,
  Hold,
  Limit,
  Policy,
  Rule,
  SizeBound,
} from "../../src/vault/policy/terms.ts"
import type { Decimal } from "../../src/venue/decimal.ts"
import { operationIds } from "../../src/venue/profile.ts"
import { addressOf, heldAgent, policiesOf, signer } from "./policy-case.ts"

/** A decimal of few digits, so that amounts and what bounds them meet often. */
export const arbitrarySmallDecimal: fc.Arbitrary<Decimal> = fc.record({
  coefficient: fc.bigInt({ min: 0n, max: 12n }),
  scale: fc.integer({ min: 0, max: 2 }),
})

/** What files alone can say; the rest is drawn. */
const [written] = policiesOf(`
policy: written
rules:
  - {name: id-a, endpoints: [placeOrder], client_order_id: a+}
  - {name: id-b, endpoints: [placeOrder], client_order_id: 'b?|c'}
  - {name: label-a, endpoints: [approveAgent], label: 'a.*'}
  - {name: label-b, endpoints: [approveAgent], label: 'a?b'}
  - {name: morning, endpoints: [placeOrder], hours: {zone: UTC, to: '12:00'}}
  - {name: week, endpoints: [placeOrder], hours: {zone: UTC, days: [mon, tue, wed, thu]}}
  - {name: night, endpoints: [placeOrder], hours: {zone: Europe/Berlin, days: [fri, sat], from: '22:00', to: '08:30'}}
  - {name: at-most, endpoints: [placeOrder], where: [{pointer: /amount, max: '5'}]}
  - {name: at-least, endpoints: [placeOrder], where: [{pointer: /amount, min: '5'}]}
  - {name: absent, endpoints: [placeOrder], where: [{pointer: /amount, present: false}]}
  - {name: present, endpoints: [placeOrder], where: [{pointer: /amount, present: true}, {pointer: /asset, in: [USD, '6']}]}
  - {name: item, endpoints: [placeOrder], where: [{pointer: /to~1from/1, equals: '0x${"Ab".repeat(20)}'}]}
  - {name: like, endpoints: [placeOrder], where: [{pointer: /asset, matches: 'U.*', max: '9'}]}
limits:
  - {name: rolling, count: orders, window: 1h, max: 5}
  - {name: day, count: orders, window: day, zone: UTC, max: 5}
  - {name: berlin, count: orders, window: day, zone: Europe/Berlin, max: 5}
  - {name: field, endpoints: [transfer], sum: {pointer: /amount}, window: 1s, max: 5}
  - {name: asset, endpoints: [transfer], sum: {pointer: /amount, by: /asset}, window: 1s, max: 5}
`)
if (written === undefined) throw new Error("the written policy is gone")
const { rules: writtenRules, limits: writtenLimits } = written

/** How many of ten keys an entry has. */
type Density = 1 | 4

function sometimes<Value>(
  weight: number,
  arbitrary: fc.Arbitrary<Value>,
): fc.Arbitrary<Value | undefined> {
  return fc.oneof({ weight: 10 - weight, arbitrary: fc.constant(undefined) }, { weight, arbitrary })
}

/** Most of the values more often than few, so that entries match. */
function mostOf<Value>(...values: readonly Value[]): fc.Arbitrary<readonly Value[]> {
  const most = fc.subarray([...values], { minLength: Math.max(1, values.length - 1) })
  return fc.oneof(
    { weight: 4, arbitrary: most },
    { weight: 1, arbitrary: fc.subarray([...values]) },
  )
}

/** One of the values that the written rules have at `key`. */
function writtenAt<Key extends keyof Rule["matchers"]>(key: Key) {
  const values = writtenRules.map(({ matchers }) => matchers[key])
  return fc.constantFrom(...values.filter((value) => value !== undefined))
}

function matchersOf(density: Density): fc.Arbitrary<Entry["matchers"]> {
  const drawn = <Value>(arbitrary: fc.Arbitrary<Value>) => sometimes(density, arbitrary)
  return fc.record({
    symbols: drawn(mostOf(-1, 1, 2, 3, 12)),
    sides: drawn(mostOf("buy", "sell")),
    orderTypes: drawn(mostOf("limit", "market")),
    timeInForce: drawn(mostOf("gtc", "fok", "ioc")),
    requireFlags: sometimes(1, fc.subarray(["post_only", "reduce_only"])),
    forbidFlags: drawn(fc.subarray(["post_only", "reduce_only"])),
    positionSides: sometimes(1, mostOf("both", "long", "short")),
    marginModes: sometimes(1, mostOf("cross", "isolated")),
    stpModes: sometimes(1, mostOf("cancel_maker", "cancel_taker", "cancel_both", "none")),
    algoOrderTypes: drawn(mostOf("none", "conditional", "tpsl", "attached_tpsl")),
    clientOrderId: sometimes(1, writtenAt("clientOrderId")),
    targetAddresses: sometimes(1, mostOf(signer, addressOf("b"))),
    label: sometimes(1, writtenAt("label")),
    hours: sometimes(1, writtenAt("hours")),
    where: sometimes(1, writtenAt("where")),
  })
}

const arbitraryOperations = fc
  .oneof(
    fc.constant(operationIds),
    fc.constantFrom(["placeOrder"], ["placeBatch"], ["approveAgent", "chaseOrder"]),
    fc.subarray([...operationIds]),
  )
  .map((operations) => new Set(operations) as Entry["operations"])

function entryOf(density: Density): fc.Arbitrary<Omit<Entry, "name" | "line">> {
  return fc.record({ operations: arbitraryOperations, matchers: matchersOf(density) })
}

const arbitrarySizeBound: fc.Arbitrary<SizeBound> = fc.oneof(
  fc.record({ kind: fc.constant("scalar"), amount: arbitrarySmallDecimal }),
  fc.record({
    kind: fc.constant("by_symbol"),
    amountBySymbol: fc
      .dictionary(fc.constantFrom("1", "2", "3"), arbitrarySmallDecimal)
      .map((amounts) => new Map(Object.entries(amounts).map(([id, max]) => [Number(id), max]))),
    defaultAmount: sometimes(8, arbitrarySmallDecimal),
  }),
)

function ruleOf(density: Density): fc.Arbitrary<Omit<Rule, "name" | "line">> {
  const drawn = <Value>(arbitrary: fc.Arbitrary<Value>) => sometimes(density, arbitrary)
  const bounds = fc.record({
    maxQuantity: drawn(arbitrarySizeBound),
    minQuantity: drawn(arbitrarySizeBound),
    maxNotional: drawn(arbitrarySizeBound),
    priceBand: drawn(arbitrarySmallDecimal),
    priceMatchBand: sometimes(6, arbitrarySmallDecimal),
    maxSlippage: drawn(arbitrarySmallDecimal),
    maxExpiresInMs: drawn(fc.integer({ min: 0, max: 3 })),
    allowFullTpsl: fc.boolean(),
    agentAddresses: fc.constantFrom("held" as const, [addressOf("b"), heldAgent]),
    authorizedAddresses: fc.constantFrom([], [addressOf("c")]),
    maxValidDays: fc.constantFrom(1, 90),
  })
  return fc.tuple(entryOf(density), bounds).map(([asked, bounded]) => ({ ...asked, ...bounded }))
}

/** Many rules that ask much, or few of which most ask little. */
const arbitraryRules = fc.oneof(
  fc.array(ruleOf(4), { maxLength: 45, size: "max" }),
  fc.array(fc.oneof(ruleOf(1), ruleOf(1), ruleOf(4)), { maxLength: 8 }),
)

const arbitraryOver = fc.record({
  kind: fc.constantFrom("quantity" as const, "notional" as const),
  bound: arbitrarySizeBound,
})

/** One that asks for a size asks little else, so that sizes decide. */
const arbitraryDeny: fc.Arbitrary<Omit<Deny, "name" | "line">> = fc.oneof(
  entryOf(4).map((asked) => ({ ...asked, over: undefined })),
  fc.tuple(entryOf(1), arbitraryOver).map(([asked, over]) => ({ ...asked, over })),
)

const arbitraryHold = fc
  .tuple(arbitraryDeny, fc.integer({ min: 1, max: 3 }), fc.boolean())
  .map(([asked, ttlMs, grants]): Omit<Hold, "name" | "line"> => ({ ...asked, ttlMs, grants }))

const kinds = [
  ...(["requests", "orders"] as const),
  ...(["submitted_notional", "submitted_quantity", "worst_cost"] as const),
]

const arbitraryLimit = fc
  .tuple(
    entryOf(1),
    fc.record({
      counted: fc.constantFrom(
        ...kinds.map((kind) => ({ kind })),
        ...writtenLimits.map(({ counted }) => counted),
      ),
      window: fc.constantFrom(...writtenLimits.map(({ window }) => window)),
      max: arbitrarySmallDecimal,
      per: fc.constantFrom("client", "key", "symbol", "account", "all"),
      lane: fc.constantFrom(undefined, undefined, "reduce"),
      mode: fc.constantFrom("enforce", "observe"),
      release: fc.constantFrom("never", "refused"),
      namesEndpoints: fc.boolean(),
      definition: fc.constantFrom("a", "b"),
    }),
  )
  .map(([asked, counting]): Omit<Limit, "name" | "line"> => ({ ...asked, ...counting }))

function named<Kind extends Entry>(
  list: string,
  entries: readonly Omit<Kind, "name" | "line">[],
): readonly Kind[] {
  // The two keys that were left out are put back.
  return entries.map((unnamed, at) => ({ ...unnamed, name: `${list}-${at}`, line: at + 3 }) as Kind)
}

/** Any policies that the type admits, also those that no file says, of up to some 130 rules. */
export const arbitraryPolicies: fc.Arbitrary<readonly Policy[]> = fc
  .array(
    fc.record({
      rules: arbitraryRules,
      deny: fc.oneof(fc.constant([]), fc.constant([]), fc.tuple(arbitraryDeny)),
      hold: fc.array(arbitraryHold, { maxLength: 2 }),
      limits: fc.array(arbitraryLimit, { maxLength: 3 }),
      clients: sometimes(2, fc.subarray(["bot", "bot-2", "other"])),
      keys: sometimes(2, fc.subarray(["bot-agent", "bot-agent-2"])),
    }),
    { minLength: 1, maxLength: 3, size: "max" },
  )
  .map((files) =>
    files.map(({ rules, deny, hold, limits, clients, keys }, index) => ({
      name: `p${index}`,
      file: `${index}.yaml`,
      appliesTo: { clients, keys },
      rules: named<Rule>("rule", rules),
      deny: named<Deny>("deny", deny),
      hold: named<Hold>("hold", hold),
      limits: named<Limit>("limit", limits),
      guards: [],
      reads: [],
      requireIdempotency: undefined,
      repeatWithin: undefined,
      requireCheck: undefined,
    })),
  )
