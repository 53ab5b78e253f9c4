// Judging alone, without reading, recording or signing: one order against 1, 100 and 1,000 rules over
// 20 files, of which one rule allows and the others each fail at some check.

import type { JudgedRequest } from "../../src/vault/policy/decision.ts"
import { judge } from "../../src/vault/policy/judge.ts"
import type { Policy } from "../../src/vault/policy/policy.ts"
import {
  circumstances,
  decimal,
  marketOrder,
  order,
  placing,
  placingBatch,
  policiesOf,
} from "../support/policy-case.ts"

const fileCount = 20
const rounds = 7
const roundMicros = 150_000

/** Prints the time of a decision in microseconds for each number of rules. */
export function bench(): void {
  const small = order({ quantity: decimal("0.01"), flags: ["post_only"] })
  const requests: readonly (readonly [string, JudgedRequest])[] = [
    ["limit order", placing(small)],
    ["refused market order", placing(marketOrder())],
    ["batch of 10", placingBatch(...Array.from({ length: 10 }, () => small))],
  ]
  for (const ruleCount of [1, 100, 1_000]) {
    const policies = policiesWith(ruleCount)
    for (const [what, request] of requests) {
      const micros = leastMicros(request, policies)
      const rules = `${ruleCount} rule${ruleCount === 1 ? "" : "s"}`
      process.stdout.write(`  ${what.padEnd(22)} ${rules.padEnd(12)} ${micros.toFixed(1)} µs\n`)
    }
  }
}

/** What the rules that don't allow the order ask, by turns: they stop early and late. */
const others = [
  "endpoints: [placeOrder, placeBatch], symbols: [ETH-PERP], max_notional: '25000'",
  "endpoints: [placeOrder, placeBatch], symbols: [BTC-PERP], sides: [sell], max_quantity: '1'",
  "endpoints: [placeOrder, placeBatch], order_types: [market], max_slippage: '0.01'",
  "endpoints: [cancelOrder, cancelBatch, cancelAll]",
  "symbols: [BTC-PERP], order_types: [limit], require_flags: [post_only], max_quantity: '0.005'",
  "symbols: [BTC-PERP], price_band: 1%, max_notional: '500'",
]

const allowing =
  "endpoints: [placeOrder, placeBatch], symbols: [BTC-PERP, ETH-PERP], order_types: [limit], require_flags: [post_only], max_quantity: '0.5', max_notional: '25000'"

function policiesWith(ruleCount: number): readonly Policy[] {
  const files = Array.from({ length: Math.min(fileCount, ruleCount) }, (): string[] => [])
  for (let index = 0; index < ruleCount; index++) {
    const asks = index === 0 ? allowing : others[index % others.length]
    files[index % files.length]?.push(`  - {name: rule-${index}, ${asks ?? ""}}`)
  }
  const texts = files.map((rules, index) =>
    [
      `policy: policy-${index}`,
      "rules:",
      ...rules,
      "deny:",
      "  - {name: no-spot, symbols: [BTC-USD]}",
      "limits:",
      "  - {name: hourly, sum: submitted_notional, window: 1h, max: '80000000', per: client}",
    ].join("\n"),
  )
  return policiesOf(...texts)
}

/** Processor time, so that what else the machine does counts less; the least of some rounds. */
function leastMicros(request: JudgedRequest, policies: readonly Policy[]): number {
  const given = circumstances()
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = process.cpuUsage()
    let spentMicros = 0
    let count = 0
    while (spentMicros < roundMicros) {
      for (let turn = 0; turn < 50; turn++) judge(request, policies, given)
      count += 50
      const { user, system } = process.cpuUsage(start)
      spentMicros = user + system
    }
    least = Math.min(least, spentMicros / count)
  }
  return least
}
