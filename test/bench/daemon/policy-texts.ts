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
  "endpoints: [placeOrder, placeBatch], symbols: [BTC-PERP, ETH-PERP], order_types: [limit], max_quantity: '0.5', max_notional: '25000'"

const rulesInFile = 50

/**
 * Policy files with so many rules in all, of which one allows the order; the first file has what a cautious
 * operator adds: a deny and two limits that are never reached.
 */
export function policyTexts(ruleCount: number): readonly string[] {
  const rules = Array.from({ length: ruleCount }, (_, index) => {
    const asks = index === ruleCount - 1 ? allowing : others[index % others.length]
    return `  - {name: rule-${index}, ${asks ?? ""}}`
  })
  const files = Array.from({ length: Math.ceil(ruleCount / rulesInFile) }, (_, index) =>
    rules.slice(index * rulesInFile, (index + 1) * rulesInFile),
  )
  return files.map((inFile, index) =>
    [`policy: bench-${index}`, "rules:", ...inFile, ...(index === 0 ? besides : [])].join("\n"),
  )
}

const besides = [
  "deny:",
  "  - {name: no-spot, symbols: [BTC-USD]}",
  "limits:",
  "  - {name: hourly, sum: submitted_notional, window: 1h, max: '90000000000000', per: client}",
  "  - {name: daily, endpoints: [placeOrder], count: requests, window: 24h, max: 1000000000, per: key}",
]
