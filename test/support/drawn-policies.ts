// Policies and orders that properties are tried on.

import fc from "fast-check"

import { limitOrder, ordersPath } from "./open-test-vault.ts"

const sizes = ["0.1", "0.1", "0.2", "0.3", "0.5", "0.6"] as const

/** Lines of a policy, each of which may be there or not. */
const parts = {
  rules: [
    `{name: quote, endpoints: [placeOrder], symbols: [BTC-PERP], max_quantity: "0.5"}`,
    `{name: small, endpoints: [placeOrder], max_quantity: "0.2", sides: [buy]}`,
    `{name: notional, endpoints: [placeOrder], max_notional: "20000"}`,
    `{name: out, endpoints: [cancelOrder, cancelAll]}`,
  ],
  deny: [
    `{name: no-asks, sides: [sell], order_types: [limit]}`,
    `{name: no-cancels, endpoints: [cancelAll]}`,
  ],
  hold: [`{name: large, over_quantity: "0.2", ttl: 60s}`, `{name: asks, sides: [sell], ttl: 2s}`],
  limits: [
    `{name: pace, count: orders, window: 1s, max: "1"}`,
    `{name: few, count: requests, window: 10s, max: "2", per: client}`,
    `{name: value, sum: submitted_notional, window: 1m, max: "40000", per: key}`,
    `{name: trial, sum: submitted_notional, window: ever, max: "90000"}`,
    `{name: seen, count: requests, window: 10s, max: "1", mode: observe}`,
    `{name: cancels, endpoints: [cancelOrder], count: requests, window: 5s, max: "1"}`,
  ],
  guards: [
    `{name: lost, daily_loss: {max: "500", zone: UTC}}`,
    `{name: fallen, drawdown: {max: 4%}, then: freeze, max_age: 10s}`,
    `{name: net, max_position: {BTC-PERP: {net: "0.4"}}}`,
    `{name: open, max_open_orders: 2}`,
    `{name: worth, max_open_notional: "30000", max_position: {default: {notional: "90000"}}}`,
  ],
} satisfies Readonly<Record<string, readonly string[]>>

function someOf(entries: string[]): fc.Arbitrary<string[]> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant<string[]>([]) }, fc.subarray(entries))
}

function oftenSomeOf(entries: string[]): fc.Arbitrary<string[]> {
  return fc.oneof(fc.constant<string[]>([]), fc.subarray(entries, { minLength: 1 }))
}

/** A policy, `drawn` by name, that may allow, deny, hold, limit and guard orders. */
export const arbitraryPolicy = fc
  .record({
    rules: fc.subarray(parts.rules, { minLength: 2 }),
    deny: someOf(parts.deny),
    hold: oftenSomeOf(parts.hold),
    guards: oftenSomeOf(parts.guards),
    limits: fc.oneof(fc.constant(parts.limits), fc.subarray(parts.limits)),
    head: fc.constantFrom(
      "",
      "",
      "",
      "",
      "",
      "",
      "repeat_within: 3s\n",
      "require_idempotency: true\n",
      "require_check: 1s\n",
      "require_check: 4s\n",
      "require_check: 4s\n",
    ),
  })
  .map(({ head, ...lists }) => {
    const lines = Object.entries(lists)
      .filter(([, entries]) => entries.length > 0)
      .map(([name, entries]) => `${name}:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`)
    return `policy: drawn\n${head}${lines.join("")}`
  })

/** An order, as a body with the path that it is sent to. */
export const placing = fc
  .record({
    symbol_id: fc.constantFrom(...Array<number>(12).fill(1), 2, 9),
    is_buy: fc.constantFrom(true, true, true, true, true, false),
    quantity: fc.constantFrom(...sizes),
    price: fc.constantFrom(...Array<string>(12).fill("63000"), "70000", "0"),
    reduceOnly: fc.constantFrom(false, false, true),
  })
  .map(({ reduceOnly, ...changes }) => {
    const body = limitOrder({ ...changes, ...(reduceOnly && { flags: ["reduce_only"] }) })
    return { body, changes: { path: ordersPath } }
  })
